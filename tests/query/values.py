"""Values of every type of SQL, each with the value that JSON has for it (docs/guide/query.md)."""

from __future__ import annotations

import re
from typing import Any

MOST_64, LEAST_64 = 2**63 - 1, -(2**63)
MOST_128, MOST_U128 = 2**127 - 1, 2**128 - 1

NUMBERS: dict[str, Any] = {
    "true": True,
    "false": False,
    "127::TINYINT": 127,
    "(-32768)::SMALLINT": -32768,
    "2147483647::INTEGER": 2147483647,
    f"{MOST_64}::BIGINT": MOST_64,
    f"({LEAST_64})::BIGINT": LEAST_64,
    "255::UTINYINT": 255,
    "65535::USMALLINT": 65535,
    "4294967295::UINTEGER": 4294967295,
    "18446744073709551615::UBIGINT": "18446744073709551615",
    "5::UBIGINT": "5",
    "5::HUGEINT": 5,
    f"{MOST_64 + 1}::HUGEINT": str(MOST_64 + 1),
    f"{MOST_128}::HUGEINT": str(MOST_128),
    f"({-MOST_128})::HUGEINT": str(-MOST_128),
    "7::UHUGEINT": 7,
    f"{MOST_U128}::UHUGEINT": str(MOST_U128),
    "12345678901234567890123456789012345678901234567890::BIGNUM": "1234567890" * 5,
    "1.5::DECIMAL(4, 1)": "1.5",
    "0::DECIMAL(38, 10)": "0.0000000000",
    "-0.0000000001::DECIMAL(38, 10)": "-0.0000000001",
    f"{'9' * 38}::DECIMAL(38, 0)": "9" * 38,
    "1e300::DOUBLE": 1e300,
    "5e-324::DOUBLE": 5e-324,
    "(1 / 3)::DOUBLE": 1 / 3,
    "-0.0::DOUBLE": -0.0,
    "0.5::FLOAT": 0.5,
    "'nan'::DOUBLE": "nan",
    "'inf'::DOUBLE": "inf",
    "'-inf'::FLOAT": "-inf",
}

TEXTS: dict[str, Any] = {
    "'plain'": "plain",
    "''": "",
    "'say \"it''s\", twice'": 'say "it\'s", twice',
    "'a|b <b> [x](y) & \\ `c`'": "a|b <b> [x](y) & \\ `c`",
    "chr(0) || 'a' || chr(27) || '[2J' || chr(127)": "\0a\x1b[2J\x7f",
    "'one' || chr(10) || 'two' || chr(13) || chr(10) || chr(9) || 'three'": "one\ntwo\r\n\tthree",
    "chr(133) || chr(8232) || chr(8238) || 'é' || chr(128512)": "\x85\u2028\u202eé\U0001f600",
    "repeat('long ', 200000)": "long " * 200_000,
    "'=1+1'": "=1+1",
    "'-'": "-",
    "'NULL'": "NULL",
    "'x' COLLATE NOCASE": "x",
    "'b'::ENUM('a', 'b')": "b",
    "'{\"a\": [1]}'::JSON": '{"a": [1]}',
    "'0f8fad5b-d9cb-469f-a165-70867728950e'::UUID": "0f8fad5b-d9cb-469f-a165-70867728950e",
    "'ab'::BLOB": "ab",
    "'\\xFF\\x00\\x5C'::BLOB": "\\xFF\\x00\\x5C",
    "''::BLOB": "",
    "'0101'::BIT": "0101",
    "'POINT(1 2)'::GEOMETRY": "POINT (1 2)",
    "{'a': 1, 'b': ['x']}::VARIANT": '{"a":1,"b":["x"]}',
}

TIMES: dict[str, Any] = {
    "DATE '2020-02-29'": "2020-02-29",
    "DATE '0044-03-15 (BC)'": "0044-03-15 (BC)",
    "DATE '0001-01-01'": "0001-01-01",
    "DATE '99999-12-31'": "99999-12-31",
    "DATE '5881580-07-10'": "5881580-07-10",
    "'infinity'::DATE": "infinity",
    "'-infinity'::DATE": "-infinity",
    "TIME '12:34:56.000001'": "12:34:56.000001",
    "TIME '24:00:00'": "24:00:00",
    "TIME_NS '12:34:56.123456789'": "12:34:56.123456789",
    "TIMETZ '12:34:56+05:30'": "12:34:56+05:30",
    "TIMETZ '00:00:00-15:59:59'": "00:00:00-15:59:59",
    "TIMESTAMP '2020-01-01 01:02:03.000001'": "2020-01-01 01:02:03.000001",
    "TIMESTAMP '2020-01-01 01:02:03'": "2020-01-01 01:02:03",
    "TIMESTAMP '0044-03-15 (BC) 01:02:03'": "0044-03-15 (BC) 01:02:03",
    "TIMESTAMP '20000-01-01 00:00:00'": "20000-01-01 00:00:00",
    "'infinity'::TIMESTAMP": "infinity",
    "'-infinity'::TIMESTAMP": "-infinity",
    "TIMESTAMP_S '2020-01-01 01:02:03'": "2020-01-01 01:02:03",
    "TIMESTAMP_S '20000-01-01 00:00:00'": "20000-01-01 00:00:00",
    "'infinity'::TIMESTAMP_S": "infinity",
    "TIMESTAMP_MS '2020-01-01 01:02:03.004'": "2020-01-01 01:02:03.004",
    "'-infinity'::TIMESTAMP_MS": "-infinity",
    "TIMESTAMP_NS '2020-01-01 01:02:03.123456789'": "2020-01-01 01:02:03.123456789",
    "'infinity'::TIMESTAMP_NS": "infinity",
    "TIMESTAMPTZ '2020-01-01 01:02:03.5+02'": "2019-12-31 23:02:03.5+00",
    "TIMESTAMPTZ '20000-01-01 00:00:00+00'": "20000-01-01 00:00:00+00",
    "TIMESTAMPTZ '0044-03-15 (BC) 00:00:00+00'": "0044-03-15 (BC) 00:00:00+00",
    "'infinity'::TIMESTAMPTZ": "infinity",
    "INTERVAL '1 year 2 months 3 days 04:00:00.5'": "1 year 2 months 3 days 04:00:00.5",
    "INTERVAL '-1 month'": "-1 month",
    "INTERVAL '3000000 hours'": "3000000:00:00",
    "INTERVAL '250000 years'": "250000 years",
}

NESTED: dict[str, Any] = {
    "[1, NULL, 3]": [1, None, 3],
    "[]::INTEGER[]": [],
    "[[1], [], NULL, [NULL, 2]]": [[1], [], None, [None, 2]],
    "['a,b', '\"c\"', chr(10), NULL]": ["a,b", '"c"', "\n", None],
    "[18446744073709551615::UBIGINT]": ["18446744073709551615"],
    f"[{MOST_U128}::UHUGEINT, 1]": [str(MOST_U128), "1"],
    "['nan'::DOUBLE, 'inf'::DOUBLE, 0.5]": ["nan", "inf", 0.5],
    "[DATE '99999-12-31', 'infinity'::DATE]": ["99999-12-31", "infinity"],
    "['infinity'::TIMESTAMP_S]": ["infinity"],
    "[INTERVAL '1 day', NULL]": ["1 day", None],
    "[1.50::DECIMAL(9, 2)]": ["1.50"],
    "['\\xFF'::BLOB]": ["\\xFF"],
    "[TIMETZ '12:00:00+02']": ["12:00:00+02"],
    "['b'::ENUM('a', 'b')]": ["b"],
    "[NULL]": [None],
    "array_value(1, 2, NULL)": [1, 2, None],
    "array_value(INTERVAL '1 day', NULL)": ["1 day", None],
    "{'a': 1, 'b': 'x', 'c': NULL}": {"a": 1, "b": "x", "c": None},
    "{'a b': {'say \"c\"': [1]}}": {"a b": {'say "c"': [1]}},
    "{'it''s': INTERVAL '1 day', 'n': 5::UBIGINT}": {"it's": "1 day", "n": "5"},
    "row(1, 'x')": {"element1": 1, "element2": "x"},
    "row(INTERVAL '1 day', TIME '12:00:00')": {"element1": "1 day", "element2": "12:00:00"},
    "MAP {'k': 1, 'l': NULL}": {"k": 1, "l": None},
    "MAP {}::MAP(VARCHAR, INTEGER)": {},
    "MAP {1: [INTERVAL '1 day'], 2: []}": {"1": ["1 day"], "2": []},
    "MAP {DATE '2020-01-01': 'infinity'::TIMESTAMP}": {"2020-01-01": "infinity"},
    "MAP {[1, 2]: 'a'}": {"[1,2]": "a"},
    "MAP {'m': MAP {'k': {'t': TIMESTAMP '2020-01-01 00:00:00'}}}": {
        "m": {"k": {"t": "2020-01-01 00:00:00"}}
    },
    "union_value(a := 1)": {"tag": "a", "a": 1},
    "union_value(b := NULL::VARCHAR)::UNION(a INTEGER, b VARCHAR)": {
        "tag": "b", "a": None, "b": None,
    },
    "union_value(tag := INTERVAL '1 day')": {"tag_1": "tag", "tag": "1 day"},
    "[{'u': union_value(a := 'x')::UNION(n INTEGER, a VARCHAR)}]": [
        {"u": {"tag": "a", "n": None, "a": "x"}}
    ],
    "{'l': [{'l': [{'l': [MAP {'d': DATE '0044-03-15 (BC)'}]}]}]}": {
        "l": [{"l": [{"l": [{"d": "0044-03-15 (BC)"}]}]}]
    },
}  # fmt: skip

SINCE_DUCKDB_2 = (
    *(
        sql
        for sql in (*NUMBERS, *TEXTS, *TIMES)
        if re.search("BIGNUM|GEOMETRY|VARIANT|TIME_NS", sql)
    ),
    *(sql for sql in NESTED if sql.startswith("array_value")),
)
"""Values that older versions of DuckDB do not give, or that Arrow of their time does not read."""

VALUES: dict[str, Any] = {**NUMBERS, **TEXTS, **TIMES, **NESTED, "NULL": None}
