#!/usr/bin/env python3
"""Prints a USGS feed of invented earthquakes, large enough to interrupt its poll: many.py [NUMBER]."""
import json
import sys

number = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
newest = 1_760_000_000_000
features = [
    {
        "type": "Feature",
        "id": f"zz{i:06d}",
        "properties": {
            "mag": round(1 + i % 60 / 10, 1), "place": f"{i % 90} km N of Nowhere {i}", "time": newest - i * 60_000,
            "updated": newest, "status": "reviewed", "net": "zz", "code": f"{i:06d}", "ids": f",zz{i:06d},",
            "sources": ",zz,", "types": ",origin,", "magType": "ml", "type": "earthquake",
            "title": f"M {1 + i % 60 / 10:.1f} - {i % 90} km N of Nowhere {i}",
        },
        "geometry": {"type": "Point", "coordinates": [(i * 7) % 360 - 179.5, (i * 3) % 170 - 84.5, 10]},
    }
    for i in range(number)
]
metadata = {"generated": newest, "title": "Invented", "status": 200, "api": "1.0", "count": number}
json.dump({"type": "FeatureCollection", "metadata": metadata, "features": features}, sys.stdout)
