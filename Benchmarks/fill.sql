-- Fills an empty database of visiventd with :count earthquakes in bulk, as polls would have stored them. growth.py runs
-- it with the sqlite3 shell, after dropping the indexes. :now is the time of the newest in milliseconds, :step the time
-- between two.
PRAGMA temp_store = MEMORY;
BEGIN;
INSERT INTO event (id, public_id, provider, upstream_id, source_id, time_ms, time_source, updated_ms, first_seen_ms,
  first_seen_is_provisional, age_base_ms, last_changed_ms, revision, change_seq, category, weight, magnitude, depth_km,
  status, latitude, longitude, location_method, location_precision, location_confidence, is_erased, title, place, link,
  details)
WITH RECURSIVE number (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM number WHERE i < :count),
  -- Multiplicative hashing scatters values that have no order in reality, such as places.
  scattered (i, a, b) AS (SELECT i, (i * 2654435761) & 4294967295, (i * 2246822519) & 4294967295 FROM number),
  quake (i, a, time, magnitude, latitude, longitude, town) AS (
    SELECT i, a, :now - (:count - i) * :step, round(a % 600 / 100.0, 1), round(a / 4294967296.0 * 160 - 80, 4),
      round(b / 4294967296.0 * 360 - 180, 4),
      printf('%d km NNE of Town%d, Country%d', a % 180, b % 15000, b % 190)
    FROM scattered)
SELECT i, printf('%08x%08x', a, i), 'usgs', printf('fill%08d', i), 1, time, 'feed', time + 60000, time, 0, time, time,
  1, i, 'earthquake', magnitude / 10, magnitude, a % 70000 / 100.0, 'reviewed', latitude, longitude, 'coordinates',
  'point', 1.0, 0, printf('M %.1f - %s', magnitude, town), town,
  printf('https://earthquake.usgs.gov/earthquakes/eventpage/fill%08d', i),
  printf('{"detail":"https://earthquake.usgs.gov/earthquakes/feed/v1.0/detail/fill%08d.geojson","tsunami":0,"sig":%d,'
    || '"net":"us","code":"%08d","sources":",us,","types":",origin,phase-data,","nst":%d,"dmin":0.225,"rms":0.81,'
    || '"gap":%d,"magType":"mb"}', i, a % 900, i, a % 180, a % 320)
FROM quake;

INSERT INTO upstream_id SELECT provider, upstream_id, id FROM event ORDER BY id;
INSERT INTO link (event_id, source_id, time_ms, seen_hash, first_seen_ms)
  SELECT id, 1, time_ms, 0, first_seen_ms FROM event ORDER BY id;
-- The store keeps a million changes.
INSERT INTO change (seq, public_id, kind, at_ms)
  SELECT change_seq, public_id, 'new', last_changed_ms FROM event WHERE id > :count - 1000000 ORDER BY id;
INSERT INTO event_position SELECT id, longitude, longitude, latitude, latitude, time_ms / 3600000.0, time_ms / 3600000.0
  FROM event ORDER BY id;
INSERT INTO event_text (event_text) VALUES ('rebuild');
COMMIT;
