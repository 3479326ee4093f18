"""What every part of the package uses: messages, parameter checks, progress, ties."""
