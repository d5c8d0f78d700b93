"""Asks notmuch in process: python3 notmuch-queries.py ROUNDS < queries.json > medians.json

Reads {name: query}; for each prints the medians in milliseconds of the 20 newest messages and of the count of all, and
that count. The database is opened once.
"""

import json
import statistics
import sys
import time

import notmuch2


def newest(db, query):
    found = []
    for message in db.messages(query, sort=notmuch2.Database.SORT.NEWEST_FIRST):
        found.append(message.messageid)
        if len(found) == 20:
            break
    return found


def timed(work, rounds):
    samples = []
    for turn in range(-2, rounds):
        began = time.perf_counter()
        work()
        if turn >= 0:
            samples.append((time.perf_counter() - began) * 1000)
    return statistics.median(samples)


def main():
    rounds = int(sys.argv[1])
    queries = json.load(sys.stdin)
    with notmuch2.Database(mode=notmuch2.Database.MODE.READ_ONLY, config=notmuch2.Database.CONFIG.SEARCH) as db:
        answers = {
            name: {
                "newest": timed(lambda: newest(db, query), rounds),
                "count": timed(lambda: db.count_messages(query), rounds),
                "found": db.count_messages(query),
            }
            for name, query in queries.items()
        }
    json.dump(answers, sys.stdout)


main()
