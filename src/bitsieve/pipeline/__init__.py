"""The way from data to a selection, which all public functions share. :mod:`bitsieve.pipeline.way` is its one page.

=====================================  ================================================================================
Step                                   What it does
=====================================  ================================================================================
1. options                             ``ReadOptions``, ``ExecutionOptions``, ``DiscretizationOptions`` and
                                       ``ColumnOptions`` of :mod:`bitsieve.options`, and ``SelectionOptions`` of
                                       :mod:`~bitsieve.pipeline.selection_options`: checked once, never changed, and
                                       passed whole
2. :mod:`~bitsieve.pipeline.reading`   ``plan_reading`` chooses the engine, and refuses before anything is read;
                                       ``ReadingPlan.open`` reads: a ``Table``
3. :mod:`~bitsieve.pipeline.prepare`   ``prepare_selection`` drops columns, each with a reason, and settles what the
                                       options leave open: a ``PreparedSelection``
4. :mod:`~bitsieve.pipeline.discretize`  ``discretize`` makes codes of the columns and counts them: a ``CountedTable``;
                                       methods on rows get :mod:`~bitsieve.pipeline.samples`
5. :mod:`~bitsieve.pipeline.run`       ``run`` calls the method: a ``Fit``
6. :mod:`~bitsieve.pipeline.evidence`  ``with_evidence`` adds the evidence from counts for the columns
7. :mod:`~bitsieve.pipeline.diagnose`  ``diagnose`` lists what a user should know before trusting the result
=====================================  ================================================================================
"""
