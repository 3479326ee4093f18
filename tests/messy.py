"""Tables as people have them, from seeded generators: which columns drive the target is known."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

N = 500
WORDS = ["the", "customer", "called", "about", "a", "broken", "order", "and", "left", "without", "reply", "from", "us"]


class Draw:
    """Columns of one table: those that follow the target, and those that do not."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.y = self.random.permutation(np.arange(N) % 2)

    def driver(self, low, high):
        """Numbers about low where the target is 0, and about high where it is 1."""
        spread = abs(high - low) / 2.6
        return np.where(self.y, high, low) + spread * self.random.normal(size=N)

    def noise(self, low, high):
        return self.random.uniform(low, high, N)

    def some(self, share):
        """Rows drawn at random."""
        return self.random.random(N) < share

    def words(self, *words):
        return self.random.choice(words, N).tolist()

    def sentences(self):
        return [" ".join(self.random.choice(WORDS, 8)) for _ in range(N)]

    def keys(self, form):
        """Nearly unique: drawn from forty times as many."""
        return [form.format(j) for j in self.random.integers(0, 40 * N, N)]

    def emails(self):
        return [f"person{j}@mail.example" for j in self.random.integers(0, N, N)]

    def numbers_with_gaps(self, up=False):
        chosen = self.random.choice(9 * N, N, replace=False) + 1000
        return np.sort(chosen) if up else chosen

    def days(self, low, high):
        """Dates by days since 2022, from 0 to 800."""
        days = np.clip(self.driver(low, high), 0, 800).astype(int)
        return [(np.datetime64("2022-01-01") + day).astype(object) for day in days]

    def table(self, **columns):
        return pa.table({**columns, "y": np.array(["no", "yes"])[self.y]})


def comma(text):
    """The same number with points between thousands and a decimal comma."""
    return text.translate(str.maketrans(",.", ".,"))


def customers():
    d = Draw(1)
    return d.table(
        discount=[f"{v:.1f}%" for v in d.noise(0, 40)],
        total_usd=[f"${v:,.2f}" for v in np.maximum(d.driver(3000, 5500), 10)],
        charge=["-" if gone else f"{v:.1f}" for v, gone in zip(d.driver(40, 60), d.some(0.1), strict=True)],
        email=d.emails(),
        customer=d.keys("C-{:05}"),
        comment=d.sentences(),
    ), {"total_usd", "charge"}


def invoices():
    d = Draw(2)
    return d.table(
        betrag=[comma(f"{v:,.2f}") + " EUR" for v in np.maximum(d.driver(2000, 4000), 10)],
        menge=[comma(f"{v:.2f}") for v in d.driver(10, 14)],
        rabatt=[comma(f"{v:.1f}") + " %" for v in d.noise(0, 30)],
        plz=[f"{v:05}" for v in d.random.choice([1067, 4109, 10115, 80331], N)],
        rechnung=d.numbers_with_gaps(up=True),
    ), {"betrag", "menge"}


def laboratory():
    d = Draw(3)
    tokens = d.random.choice(["n/a", "missing", "."], N)
    return d.table(
        weight=[f"{v:.1f} kg" for v in d.driver(70, 85)],
        glucose=[
            token if gone else f"{v:.2f}" for v, token, gone in zip(d.driver(5, 7), tokens, d.some(0.1), strict=True)
        ],
        report=d.sentences(),
        patient=d.numbers_with_gaps(),
        height=[f"{v:.0f} cm" for v in d.noise(150, 200)],
    ), {"weight", "glucose"}


def orders():
    d = Draw(4)
    hours, minutes = np.clip(d.driver(9, 14), 1, 22).astype(int), d.random.integers(0, 60, N)
    clock = [
        f"{(h - 1) % 12 + 1}:{m:02} {'AM' if h < 12 else 'PM'}" for h, m in zip(hours.tolist(), minutes, strict=True)
    ]
    return d.table(
        ordered=[f"{day:%d.%m.%Y}" for day in d.days(300, 500)],
        at=clock,
        due=[f"{a:02}/{b:02}/2024" for a, b in d.random.integers(1, 5, (N, 2))],
        order=d.keys("ORD{:06}"),
        share=[f"{v:.0f}%" for v in d.noise(0, 100)],
    ), {"ordered", "at"}


def subscriptions():
    d = Draw(5)
    return d.table(
        since=[f"{day.month}/{day.day}/{day.year}" for day in d.days(250, 450)],
        used=[f"{v:.1f} %" for v in np.clip(d.driver(40, 60), 0, 100)],
        zip=[f"{v:05}" for v in d.random.choice([501, 2139, 60601, 94110], N)],
        phone=[f"+1{v}" for v in d.random.integers(2_000_000_000, 9_000_000_000, N)],
        email=d.emails(),
    ), {"since", "used"}


def flights():
    d = Draw(6)
    minutes = np.clip(d.driver(90, 180), 5, 900).astype(int).tolist()
    starts = [f"{day}T0{day.day % 10}:30:00+0{day.month % 3}:00" for day in d.days(200, 400)]
    return d.table(
        duration=[f"{m // 60} h {m % 60} min" for m in minutes],
        start=["unknown" if gone else at for at, gone in zip(starts, d.some(0.05), strict=True)],
        remark=d.sentences(),
        flight=d.keys("{:05}X"),
        delay=[f"{v:.0f} min" for v in d.noise(0, 90)],
    ), {"duration", "start"}


def survey():
    d = Draw(7)
    yes = d.y ^ d.some(0.08)
    age, income = np.rint(d.driver(30, 48)).astype(int), d.random.integers(10, 90, N)
    return d.table(
        member=[d.random.choice(["Yes", "yes", "Y"] if one else ["No", "no", "N"]) for one in yes],
        age=np.where(d.some(0.04), -999, age),
        income=np.where(d.some(0.05), 9999, income),
        answer=d.sentences(),
        asked=d.words("on", "ON", "off", "Off"),
    ), {"member", "age"}


def sensors():
    d = Draw(8)
    octets = d.random.integers(100, 255, (N, 2))
    return d.table(
        heat=[f"{v:.1f} °C" for v in d.driver(20, 24)],
        load=[f"{v:.1f}%" for v in np.clip(d.driver(40, 60), 0, 100)],
        version=d.words("1.2.3", "1.2.4", "2.0.1"),
        address=[f"192.168.{a}.{b}" for a, b in octets],
        pressure=[f"{v:.0f} hPa" for v in d.noise(950, 1050)],
    ), {"heat", "load"}


def accounts():
    d = Draw(9)
    balance = d.driver(-300, 500)
    return d.table(
        balance=[f"({-v:.2f})" if v < 0 else f"{v:.2f}" for v in balance],
        volume=[f"{v:,.2f}".replace(",", "'") for v in np.maximum(d.driver(3000, 6000), 1)],
        isbn=[f"978-3-16-{v:06}-0" for v in d.random.integers(0, 10**6, N)],
        phone=[f"030-{v:07}" for v in d.random.integers(0, 10**7, N)],
        rate=[comma(f"{v:.2f}") + "%" for v in d.noise(0, 9)],
    ), {"balance", "volume"}


def cities():
    d = Draw(10)
    return d.table(
        people=[f"{v:,.1f}".replace(",", " ").replace(".", ",") for v in np.maximum(d.driver(20_000, 35_000), 1)],
        houses=[f"{v:,.0f}" for v in np.maximum(d.driver(5000, 8000), 1)],
        row=d.numbers_with_gaps(up=True),
        code=[f"{v:03}" for v in d.random.integers(1, 20, N)],
        growth=[f"{v:+.1f}%" for v in d.noise(-5, 5)],
    ), {"people", "houses"}


def letters():
    d = Draw(11)
    return d.table(
        written=[f"{day.day} {day:%b} {day.year}" for day in d.days(200, 400)],
        read=[f"{day:%a}, {day:%d} {day:%b} {day.year} 10:{day.day:02}:00 GMT" for day in d.days(300, 500)],
        key=d.keys("{:06x}"),
        text=d.sentences(),
        cost=[f"EUR {v:.2f}" for v in d.noise(1, 9)],
    ), {"written", "read"}


def meters():
    d = Draw(12)
    level = [f"{v:.1f}" for v in d.driver(30, 44)]
    odd = d.random.choice(["high", "-", "broken"], N)
    return d.table(
        level=[word if gone else v for v, word, gone in zip(level, odd, d.some(0.03), strict=True)],
        price=[f"€ {v:.2f}" for v in d.driver(12, 15)],
        email=d.emails(),
        comment=d.sentences(),
        tax=[f"{v:.1f} %" for v in d.noise(0, 25)],
    ), {"level", "price"}


def machines():
    d = Draw(13)
    runs = np.clip(d.driver(20, 45), 0, 90)
    pauses = np.clip(d.driver(30, 70), 1, 200).astype(int).tolist()
    return d.table(
        run=[f"{int(v)}:{int(60 * v) % 60:02}:00" for v in runs],
        pause=[f"PT{m // 60}H{m % 60}M" for m in pauses],
        zip4=[f"{a:05}-{b:04}" for a, b in zip(d.random.integers(0, 5, N), d.random.integers(0, 4, N), strict=True)],
        serial=d.keys("SN{:07}"),
        wear=[f"{v:.1f} mm" for v in d.noise(0, 3)],
    ), {"run", "pause"}


def patients():
    d = Draw(14)
    yes = d.y ^ d.some(0.08)
    return d.table(
        raucher=[d.random.choice(["ja", "Ja", "J"] if one else ["nein", "Nein", "N"]) for one in yes],
        seit=[f"{day.month}/{day.day}/{day.year % 100:02}" for day in d.days(200, 420)],
        befund=d.sentences(),
        fall=d.numbers_with_gaps(),
        anteil=[comma(f"{v:.1f}") + "%" for v in d.noise(0, 50)],
    ), {"raucher", "seit"}


#: By name, a table and the columns that drive its target.
TABLES = {
    make.__name__: make
    for make in (
        *(customers, invoices, laboratory, orders, subscriptions, flights, survey),
        *(sensors, accounts, cities, letters, meters, machines, patients),
    )
}

#: By name, how a quantity is written, and with how many digits after the point.
WRITTEN = {
    "money": (lambda v: f"${v:,.2f}", 2),
    "percent": (lambda v: f"{v:.1f}%", 1),
    "unit": (lambda v: f"{v:.1f} kB", 1),
    "comma": (lambda v: comma(f"{v:,.2f}") + " EUR", 2),
    "whole": (lambda v: f"{v:,.0f} EUR", 0),
    "plain": (lambda v: f"{v:.3f}", 3),
}


def quantity(written, gap=None):
    """A table whose target is a quantity in text, ``gap`` in some rows, and the target as numbers, NaN there."""
    write, digits = WRITTEN[written]
    d = Draw(15)
    value = np.maximum(d.driver(2000, 4000), 10)
    size, load = value + d.random.normal(size=N) * 300, d.noise(0, 9)
    gone = (np.arange(N) % 25 == 7) & (gap is not None)
    text = [gap if no else write(v) for v, no in zip(value.tolist(), gone.tolist(), strict=True)]
    numbers = np.where(gone, np.nan, [round(v, digits) for v in value.tolist()])
    return pa.table({"size": size, "load": load, "y": text}), numbers
