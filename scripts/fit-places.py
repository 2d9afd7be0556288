#!/usr/bin/env python3
"""Fits the weights of the features of places, and writes them as Swift.

    scripts/fit-places.py OUT.swift DUMP.tsv...

A dump is what `toponym-report --features` writes for one city table. Only documents of the half `dev` are fitted on. The
model is a conditional logit: of a mention's candidates and "none", whose score is 0, the sum of the features times their
weights gives the logarithm of the odds. A ridge penalty pulls each weight to 0, or to its value in EXPECTED. The
probabilities of candidates are then scaled (Platt) by those that a model gives which has not seen the document.

The same dumps give the same file: nothing is random, and weights are rounded. Packages: see fit-places.txt beside it.
"""
import sys
import zlib

import numpy as np
import scipy.sparse
from scipy.optimize import minimize

PENALTY = 2.0
FOLDS = 5
# The corpora differ in size: a document of TR-News, read with one home only, counts as much as LGL's with three homes
# each, and twice, since it has half as many names.
CORPUS_WEIGHTS = {"TR-News.xml": 2.0, "LGL-dev.xml": 1 / 3}
# Names in the beginnings of texts stand for feeds that give no more; there are fewer of them.
KIND_WEIGHTS = {"given": 1.0, "found": 1.0, "lead": 2.0}
# What the corpora do not have often enough, by what is known otherwise: an area behind a name decides; a town from which
# a distance is measured is the one at home; German nouns and words of the language are hardly places; an agency's office reports from around it.
EXPECTED = {
    "insideAreaBehind": 4.0,
    "outsideAreaBehind": -6.0,
    "insideAreaElsewhere": 3.0,
    "outsideAreaElsewhere": -4.0,
    "behindOwnTown": 4.0,
    "notBehindTown": -4.0,
    "smallerThanCity": -3.0,
    "countryNamed": 1.0,
    "otherCountries": -2.5,
    "outsideLocal": -2.0,
    "homeRegion": 4.0,
    "fitsHome": -4.0,
    "wordBefore": -3.0,
    "wordBehind": -3.5,
    "organisation": -3.0,
    "glued": -3.0,
    "capitalBehind": -2.5,
    "namesakeNamed": -2.5,
    "givenName": -1.5,
    "behindMeasured": -6.0,
    "otherCountryBehind": -6.0,
    "municipalArea": -4.0,
    "noun": -1.5,
    "acronym": -5.0,
    "headlineBare": -1.0,
    "commonWord": -0.5,
    "datelineNear": 2.0,
}
# Those of them that the corpora hardly move. Exceptions from areas behind names are mostly lists; local papers have few
# organisations and persons with the names of famous cities.
FIRM = {
    "outsideAreaBehind", "outsideAreaElsewhere", "behindOwnTown", "notBehindTown", "smallerThanCity", "homeRegion",
    "wordBefore", "wordBehind", "organisation", "glued", "capitalBehind",
    "namesakeNamed", "givenName", "headlineBare",
}


class Mentions:
    """The mentions of a dump's half `dev`: rows of features, where each mention begins, and which rows are right."""

    def __init__(self, paths):
        self.names = {}
        rows, columns, values, right, self.starts, self.weights, self.folds, self.found = [], [], [], [], [], [], [], []
        for path in paths:
            for line in open(path, encoding="utf-8"):
                corpus, half, prior, document, kind, _, verdict, _, candidate, features = line.rstrip("\n").split("\t")
                # Without feeds there is no home, and all priors are alike.
                if half != "dev" or corpus == "TR-News.xml" and prior != "cold":
                    continue
                if candidate == "none":
                    self.starts.append(len(right))
                    self.weights.append(CORPUS_WEIGHTS.get(corpus, 1.0) * KIND_WEIGHTS[kind])
                    self.folds.append(zlib.crc32(f"{corpus} {document}".encode()) % FOLDS)
                    self.found.append(kind == "found")
                for feature in features.split():
                    name, value = feature.split("=")
                    rows.append(len(right))
                    columns.append(self.names.setdefault(name, len(self.names)))
                    values.append(float(value))
                right.append(verdict == "right")
        self.right = np.array(right)
        self.features = scipy.sparse.csr_matrix((values, (rows, columns)), shape=(len(right), len(self.names)))
        self.starts, self.weights = np.array(self.starts), np.array(self.weights)
        self.folds, self.found = np.array(self.folds), np.array(self.found)
        self.mention = np.repeat(np.arange(len(self.starts)), np.diff(np.append(self.starts, len(right))))

    def penalties(self):
        return np.array([PENALTY * (50 if name in FIRM else 1) for name in self.names])

    def expected(self):
        return np.array([EXPECTED.get(name, 0.0) for name in self.names])


def probabilities(features, starts, mention, weights):
    scores = features @ weights
    scores -= np.maximum.reduceat(scores, starts)[mention]
    odds = np.exp(scores)
    return odds / np.add.reduceat(odds, starts)[mention]


def fit(data, chosen):
    """The weights for the mentions that are chosen."""
    rows = chosen[data.mention]
    features, right = data.features[rows], data.right[rows]
    mention = np.cumsum(chosen)[data.mention[rows]] - 1
    starts = np.searchsorted(mention, np.arange(chosen.sum()))
    weights, expected, transposed = data.weights[chosen], data.expected(), features.T.tocsr()
    penalties = data.penalties()

    def loss(guess):
        share = probabilities(features, starts, mention, guess)
        total = np.maximum(np.add.reduceat(share * right, starts), 1e-12)
        gradient = transposed @ ((share - share * right / total[mention]) * weights[mention])
        away = guess - expected
        return -(weights * np.log(total)).sum() + penalties @ away**2 / 2, gradient + penalties * away

    return minimize(loss, expected, jac=True, method="L-BFGS-B", options={"maxiter": 400, "maxfun": 800}).x


def scaling(data):
    """Slope and intercept of the log odds of the likeliest candidates of found names, by models that have not seen them."""
    logits, hits, weights = [], [], []
    for fold in range(FOLDS):
        model = fit(data, data.folds != fold)
        share = probabilities(data.features, data.starts, data.mention, model)
        for index in np.flatnonzero((data.folds == fold) & data.found):
            first = data.starts[index] + 1
            end = data.starts[index + 1] if index + 1 < len(data.starts) else len(share)
            if first == end:
                continue
            best = first + int(np.argmax(share[first:end]))
            odds = min(max(share[best], 1e-6), 1 - 1e-6)
            logits.append(np.log(odds / (1 - odds)))
            hits.append(data.right[best])
            weights.append(data.weights[index])
    logits, hits, weights = np.array(logits), np.array(hits), np.array(weights)

    def loss(guess):
        odds = 1 / (1 + np.exp(-(guess[0] * logits + guess[1])))
        odds = np.clip(odds, 1e-9, 1 - 1e-9)
        slope = weights * (odds - hits)
        return -(weights * np.where(hits, np.log(odds), np.log(1 - odds))).sum(), np.array(
            [slope @ logits, slope.sum()]
        )

    return minimize(loss, np.array([1.0, 0.0]), jac=True, method="L-BFGS-B").x


def main():
    out, *paths = sys.argv[1:]
    data = Mentions(paths)
    slope, intercept = scaling(data)
    fitted = dict(zip(data.names, fit(data, np.ones(len(data.starts), bool))))
    weights = {**EXPECTED, **fitted}
    lines = [
        "/// The weights of the features, and the scaling of the probabilities.",
        "///",
        "/// Written by scripts/fit-places.py (`make fit-places`); not to be changed by hand.",
        "enum PlaceWeights {",
        "    /// Slope and intercept of the log odds (Platt's scaling).",
        f"    static let slope = {slope:.2f}",
        f"    static let intercept = {intercept:.2f}",
        "",
        "    static let all: [(PlaceFeature, Double)] = [",
    ]
    lines += [f"        (.{name}, {weight + 0:.2f})," for name, weight in sorted(weights.items())]
    lines += ["    ]", "}", ""]
    with open(out, "w", encoding="utf-8") as file:
        file.write("\n".join(lines))
    print(f"{len(data.starts)} mentions, {len(weights)} weights, slope {slope:.2f}, intercept {intercept:.2f}", file=sys.stderr)


main()
