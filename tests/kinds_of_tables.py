"""Fifteen kinds of tables as people bring them, from seeded generators. Each has the target ``y``."""

from __future__ import annotations

from datetime import datetime, timedelta

import numpy as np
import pyarrow as pa

N_ROWS = 300
SEED = 46


def _random():
    return np.random.default_rng(SEED)


def _classes(random, share=0.5, n_rows=N_ROWS):
    return (random.random(n_rows) < share).astype(int)


def _follows(random, y, shift=1.0):
    """Numbers whose mean depends on the class."""
    return random.normal(size=len(y)) + shift * y


def medical():
    """Codes such as -999 and 9 stand for values that nobody measured."""
    random = _random()
    y = _classes(random, 0.3)
    pressure = np.where(random.random(N_ROWS) < 0.1, -999, np.round(120 + 15 * _follows(random, y)))
    weight = np.where(random.random(N_ROWS) < 0.05, 9999, np.round(75 + 10 * random.normal(size=N_ROWS)))
    sugar = np.where(random.random(N_ROWS) < 0.2, np.nan, 5 + _follows(random, y))
    smoker = random.choice(["yes", "no", "unknown"], N_ROWS)
    patient = [f"P{number:05d}" for number in random.permutation(N_ROWS)]
    return {
        "patient_id": patient,
        "systolic_pressure": pressure,
        "body_weight": weight,
        "blood_sugar": pa.array(sugar, from_pandas=True),
        "smoker": smoker,
        "y": np.array(["healthy", "ill"])[y],
    }


def survey():
    """Long questions as names, answers from 1 to 5, and expansion weights."""
    random = _random()
    y = _classes(random)
    answers = {}
    for number in range(1, 7):
        question = f"Q{number}: How satisfied are you with the service that you received from us in the last year?"
        answers[question] = np.clip(np.round(3 + 0.5 * _follows(random, y)), 1, 5).astype(int)
    weights = random.integers(800, 2500, N_ROWS)
    return {**answers, "expansion_weight": weights, "y": np.array(["leaves", "stays"])[y]}


def transactions():
    """Six positive rows in a thousand, amounts as text, and the time of each row."""
    random = _random()
    n_rows = 2000
    y = _classes(random, 0.006, n_rows)
    start = datetime(2024, 1, 1)
    return {
        "transaction": [f"T{number:07d}" for number in random.permutation(n_rows)],
        "booked_at": [(start + timedelta(minutes=7 * i)).isoformat(sep=" ") for i in range(n_rows)],
        "amount": [f"{value:,.2f} USD" for value in np.exp(4 + random.normal(size=n_rows) + 2 * y)],
        "country": random.choice(["DE", "FR", "US", "CN"], n_rows),
        "n_today": random.poisson(2 + 3 * y),
        "y": y,
    }


def sensors():
    """Copies of one sensor, a counter, and the same temperature in two units."""
    random = _random()
    y = _classes(random)
    celsius = 20 + 5 * _follows(random, y)
    columns = {"seconds": np.arange(N_ROWS), "celsius": celsius, "fahrenheit": 1.8 * celsius + 32}
    for number in range(4):
        columns[f"sensor_{number}"] = celsius
    columns["offline"] = np.zeros(N_ROWS)
    return {**columns, "y": np.array(["fault", "normal"])[y]}


def text_of_excel():
    """Everything is text: decimal commas, dates with points, leading zeros, blanks and "n/a"."""
    random = _random()
    y = _classes(random)
    day = random.integers(1, 28, N_ROWS)
    return {
        "Postleitzahl": [f"{number:05d}" for number in random.integers(1000, 99999, N_ROWS)],
        "Umsatz (EUR)": [f"{value:,.2f} €".translate(str.maketrans(",.", ".,")) for value in 4000 + 900 * y + day],
        "Anteil": [f"{value:.1f} %".replace(".", ",") for value in 50 + 10 * _follows(random, y)],
        "Datum": [f"{number:02d}.{1 + number % 12:02d}.2024" for number in day],
        "Menge": [
            "n/a" if missing else str(number) for missing, number in zip(random.random(N_ROWS) < 0.1, day, strict=True)
        ],
        "Bemerkung": random.choice(["", "gut", "schlecht"], N_ROWS),
        "y": np.array(["ja", "nein"])[y],
    }


def genes():
    """Many more columns than rows."""
    random = _random()
    n_rows = 60
    y = np.arange(n_rows) % 2
    columns = {f"gene_{number:04d}": _follows(random, y, 2.0 * (number < 3)) for number in range(1500)}
    return {**columns, "y": np.array(["ALL", "AML"])[y]}


def time_stamps():
    """Dates in several forms, of which one does not say where the month is."""
    random = _random()
    y = _classes(random)
    moments = [
        datetime(2023, 1, 1) + timedelta(hours=int(hour)) for hour in 4000 * y + random.integers(0, 4000, N_ROWS)
    ]
    return {
        "created": [moment.isoformat() for moment in moments],
        "changed": moments,
        "day_or_month": [f"{i % 12 + 1:02d}/{i % 11 + 1:02d}/2023" for i in range(N_ROWS)],
        "month_or_day": [f"{i % 9 + 1:02d}/{i % 7 + 1:02d}/2023" for i in range(N_ROWS)],
        "clock": [f"{moment.hour:02d}:{moment.minute:02d}" for moment in moments],
        "duration": [f"{number} days" for number in random.integers(1, 90, N_ROWS)],
        "y": np.array(["early", "late"])[y],
    }


def money_and_percents():
    """Seven columns of text that are numbers."""
    random = _random()
    y = _classes(random)
    columns = {
        f"price_{number}": [f"${value:,.2f}" for value in 900 + 200 * _follows(random, y)] for number in range(4)
    }
    columns |= {f"share_{number}": [f"{value:.0f}%" for value in random.uniform(0, 100, N_ROWS)] for number in range(3)}
    return {**columns, "y": np.array(["no", "yes"])[y]}


def identifiers():
    """Names and numbers of rows, and one column that counts them."""
    random = _random()
    y = _classes(random)
    return {
        "id": np.arange(1, N_ROWS + 1),
        "customer": [f"C-{number}" for number in random.permutation(N_ROWS)],
        "email": [f"person{number}@mail.example" for number in random.permutation(N_ROWS)],
        "order_no": 10_000 + random.permutation(N_ROWS),
        "zip_code": random.integers(10_000, 99_999, N_ROWS),
        "score": _follows(random, y),
        "y": np.array(["no", "yes"])[y],
    }


def nearly_empty_class():
    """One class has two rows."""
    random = _random()
    y = np.array(["usual"] * (N_ROWS - 2) + ["odd"] * 2)
    return {"a": random.normal(size=N_ROWS), "b": random.integers(0, 4, N_ROWS), "y": y}


def constants():
    """All columns are constant but two."""
    random = _random()
    y = _classes(random)
    columns = {f"setting_{number}": np.full(N_ROWS, number) for number in range(30)}
    return {**columns, "a": _follows(random, y), "b": random.normal(size=N_ROWS), "y": np.array(["bad", "good"])[y]}


def wide_and_sparse():
    """Nearly all values are 0 or missing."""
    random = _random()
    y = _classes(random)
    columns = {}
    for number in range(200):
        is_set = random.random(N_ROWS) < 0.02 + 0.2 * y * (number < 2)
        columns[f"word_{number}"] = is_set.astype(int)
    columns["no_value"] = pa.nulls(N_ROWS, pa.float64())
    rare = np.where(random.random(N_ROWS) < 0.95, np.nan, random.normal(size=N_ROWS))
    columns["rare"] = pa.array(rare, from_pandas=True)
    return {**columns, "y": np.array(["ham", "spam"])[y]}


def names_twice():
    """A leak, and names that differ in case or in blanks only."""
    random = _random()
    y = _classes(random)
    return {
        "Age": random.integers(18, 90, N_ROWS),
        "age": random.integers(18, 90, N_ROWS),
        "age ": random.integers(18, 90, N_ROWS),
        "Income": 1000 + 100 * _follows(random, y),
        "INCOME": 1000 + 100 * random.normal(size=N_ROWS),
        "cancelled_on": np.where(y == 1, "2024-01-31", ""),
        "y": np.array(["stays", "leaves"])[y],
    }


def unicode_names():
    """Names and values from several scripts, with emoji, blanks and quotes."""
    random = _random()
    y = _classes(random)
    return {
        "年齢": random.integers(18, 90, N_ROWS),
        "Größe (cm)": 170 + 10 * _follows(random, y),
        "Имя клиента": [f"клиент {number}" for number in random.permutation(N_ROWS)],
        'it\'s "quoted"': random.choice(["да", "нет"], N_ROWS),
        "🙂 mood": [f"{value:.0f} %" for value in random.uniform(0, 100, N_ROWS)],
        "y": np.array(["нет", "да"])[y],
    }


def tall_and_narrow():
    """Many rows, two columns, and a numeric target."""
    random = _random()
    n_rows = 20_000
    a = random.normal(size=n_rows)
    return {"a": a, "b": random.normal(size=n_rows), "y": 100 + 20 * a + 10 * random.normal(size=n_rows)}


KINDS = (
    medical, survey, transactions, sensors, text_of_excel, genes, time_stamps, money_and_percents, identifiers,
    nearly_empty_class, constants, wide_and_sparse, names_twice, unicode_names, tall_and_narrow,
)  # fmt: skip


def table_of(kind):
    """The table of one kind."""
    return pa.table(kind())
