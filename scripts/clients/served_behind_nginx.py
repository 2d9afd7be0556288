#!/usr/bin/env python3
"""`visiventd serve` below a prefix, behind nginx, by plain HTTP: served_behind_nginx.py FOLDER PROGRAM"""
import base64

from checks import check, same, skip
from proxy import FATES, NGINX
from served import serving

LOGIN = 'anna:geheim'
BASIC = 'Basic ' + base64.b64encode(LOGIN.encode()).decode()


def links(document):
    """The addresses of all links in a JSON document."""
    if isinstance(document, dict):
        if isinstance(document.get('href'), str):
            yield document['href']
        document = document.values()
    elif not isinstance(document, list):
        return
    for part in document:
        yield from links(part)


def checks(service, fate):
    def get(target, **fields):
        return service.get(target, Authorization=BASIC, **fields)

    @check(f'nginx, the prefix {fate}: each link of the start and of the collections opens')
    def _():
        found = {href for target in ['/', '/collections', '/collections/events/items?limit=1']
                 for href in links(get(target).document(200))}
        same([href for href in found if not href.startswith(service.url + '/')], [], 'outside the prefix:')
        for href in sorted(found - {service.url + '/stream'}):
            same(get(href.removeprefix(service.url)).status, 200, href)

    @check(f'nginx, the prefix {fate}: without its slash it leads to the start')
    def _():
        answer = get('')
        same((answer.status, answer.fields['location']), (301, service.url + '/'))

    @check(f'nginx, the prefix {fate}: other forms of an address have nothing')
    def _():
        for target in ['/quakes/metrics', '/quakes/', '//evil.example/', '/%2F%2Fevil.example']:
            answer = get(target)
            same((answer.status, answer.fields['location']), (404, None), target)

    @check(f'nginx, the prefix {fate}: nothing comes without the login')
    def _():
        same([service.get(target).status for target in ['/', '/collections/events/items', '/stream']], [401] * 3)

    @check(f'nginx, the prefix {fate}: a condition has 304')
    def _():
        target = '/collections/events/items?limit=1'
        same(get(target, If_None_Match=get(target).fields['etag']).status, 304)


for name in FATES:
    if NGINX:
        with serving(behind=name, login=LOGIN) as running:
            checks(running, name)
    else:
        skip(f'nginx, the prefix {name}', 'nginx is not installed')
