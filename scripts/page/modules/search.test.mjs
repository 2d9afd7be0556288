// The search field: what is understood, what is suggested, and how the sliders write into it.
import assert from 'node:assert/strict';
import test from 'node:test';

import { boundsOf, notUnderstood, takeCategories, toQuery, withBound } from '../../../page/app/filter.js';
import { countriesLike, filtersLike } from '../../../page/app/suggest.js';
import { allCountries, countryCode } from '../../../page/app/words.js';

const query = (search) => toQuery({ search, categories: null, box: null }, { time: false });

test('depth, country and magnitude become parameters', () => {
  assert.deepEqual(query('depth>100'), { min_depth: '100.000001' });
  assert.deepEqual(query('depth<=70 km mag>=4.5 ash'), { q: 'ash', min_magnitude: '4.5', max_depth: '70' });
  assert.deepEqual(query('country:IT'), { country: 'IT' });
  assert.deepEqual(query('country:"South Korea" magnitude<3'), { country: 'KR', max_magnitude: '2.999999' });
  assert.deepEqual(query('mag>=-1'), { min_magnitude: '-1' });
});

test('what looks like a filter and is none is told, and searched as words', () => {
  assert.deepEqual(notUnderstood('foo:bar ash mag>x'), ['foo:bar', 'mag>x']);
  assert.deepEqual(notUnderstood('country:Nowhere'), ['country:Nowhere']);
  assert.deepEqual(notUnderstood('heft=3 "a b:c" depth>'), ['heft=3', 'depth>']);
  assert.deepEqual(notUnderstood('source:quakes author:"A B" M5+ mag >= 4 depth<5 <b> 12:30'), []);
  assert.deepEqual(query('foo:bar'), { q: 'foo bar' });
});

test('categories are taken out of the text', () => {
  const known = ['earthquake', 'volcano', 'news', 'tsunami'];
  assert.deepEqual(takeCategories('cat:news ash', known), { search: 'ash', categories: ['news'] });
  assert.deepEqual(takeCategories('category:earthquakes,tsunami', known),
    { search: '', categories: ['earthquake', 'tsunami'] });
  assert.deepEqual(takeCategories('cat:"volcanic activity"', known), { search: '', categories: ['volcano'] });
  assert.deepEqual(takeCategories('cat:xyz', known), { search: 'cat:xyz' });
  assert.deepEqual(notUnderstood('cat:xyz'), ['cat:xyz']);
});

test('a slider changes its bound alone', () => {
  assert.equal(withBound('ash', 'mag', '>=', 4.5), 'ash mag>=4.5');
  assert.equal(withBound('M5+ ash depth<=70', 'mag', '>=', 3), 'ash depth<=70 mag>=3');
  assert.equal(withBound('mag>2 mag<6 depth>10', 'mag', '>=', null), 'mag<6 depth>10');
  assert.equal(withBound('depth=10 ash', 'depth', '<=', 300), 'ash depth<=300');
  assert.deepEqual(boundsOf('M5+ depth<=300 ash'), { min_magnitude: 5, max_depth: 300 });
  assert.deepEqual(boundsOf('ash'), {});
});

test('filters, sources and categories are suggested for the last word', () => {
  const known = { sources: ['quakes', 'my news'], categories: ['earthquake', 'volcano', 'news'] };
  const words = (text) => filtersLike(text, known).map(({ search, categories }) => categories ?? search);
  assert.deepEqual(words('ma'), ['mag>=5']);
  assert.deepEqual(words('m6'), ['mag>=6']);
  assert.deepEqual(words('ash dep'), ['ash depth>=100', 'ash depth<=70']);
  assert.deepEqual(words('qua'), ['source:quakes']);
  assert.deepEqual(words('source:'), ['source:quakes', 'source:"my news"']);
  assert.deepEqual(words('volc'), [['volcano']]);
  assert.deepEqual(words('ash cat:n'), [['news']]);
  assert.deepEqual(words('country:ital'), ['country:Italy']);
  assert.deepEqual(words('ash '), []);
  assert.deepEqual(words('xyzzy'), []);
});

test('countries are found by the beginning of a word', () => {
  assert.deepEqual(countriesLike('port'), [['PT', 'Portugal']]);
  assert.equal(countriesLike('zealand')[0][0], 'NZ');
  assert.equal(countriesLike('united').length, 3);
  assert.deepEqual(countriesLike('p'), []);
  assert.equal(countryCode('côte d’ivoire'), 'CI');
  assert.equal(countryCode('it'), 'IT');
  assert.equal(countryCode('Atlantis'), undefined);
  assert.ok(allCountries().length > 240 && !allCountries().some(([code]) => code === 'DD' || code === 'ZZ'));
});
