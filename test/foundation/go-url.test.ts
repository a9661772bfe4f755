import { describe, expect, it } from 'vitest';
import { escapedPath, parseGoUrl, parseQuery, parseRequestUri, splitHost } from '../../src/foundation/go/go-url.js';

const parsed = (text: string) => {
  const url = parseGoUrl(text);
  if (typeof url === 'string') throw new Error(url);
  return url;
};

describe('parseGoUrl', () => {
  it('separates the parts', () => {
    expect(parsed('HTTPS://jane:p%40ss@Example.com:8443/a%20b?q=1#f')).toEqual({
      scheme: 'https',
      opaque: '',
      user: ['jane', 'p@ss'],
      host: 'Example.com:8443',
      omitsHost: false,
      path: '/a%20b',
      query: 'q=1',
      fragment: 'f',
    });
    expect(parsed('mailto:jane@example.com')).toMatchObject({ opaque: 'jane@example.com', host: '', path: '' });
    expect(parsed('file:/etc/hosts')).toMatchObject({ omitsHost: true, path: '/etc/hosts' });
    expect(parsed('file:///etc/hosts')).toMatchObject({ omitsHost: false, host: '', path: '/etc/hosts' });
    expect(parsed('a/b?')).toMatchObject({ scheme: '', path: 'a/b', query: '' });
    expect(parsed('*')).toMatchObject({ path: '*', query: undefined });
    expect(parsed('https://%e4%b8%ad/')).toMatchObject({ host: '中' });
  });

  it.each([
    ['1:2', 'parse "1:2": first path segment in URL cannot contain colon'],
    ['https://a:b#c', 'parse "https://a:b": invalid port ":b" after host'],
    ['https://a#%z', 'parse "https://a#%z": invalid URL escape "%z"'],
    ['https://[::1]x/', 'parse "https://[::1]x/": invalid port "x" after host'],
    ['https://[fe80::1%25%20%2F]/', 'parse "https://[fe80::1%25%20%2F]/": invalid URL escape "%2F"'],
    ['https://a%/', 'parse "https://a%/": invalid URL escape "%"'],
  ])('refuses %j', (text, problem) => {
    expect(parseGoUrl(text)).toBe(problem);
  });

  it('escapes a path only when it needs it', () => {
    expect(escapedPath(parsed("/a%2fb[1]!'()"))).toBe("/a%2fb[1]!'()");
    expect(escapedPath(parsed('/a%2fb c!'))).toBe('/a/b%20c%21');
  });
});

it('a request URI is absolute, or an absolute path', () => {
  expect(parseRequestUri('a/b')).toBe('parse "a/b": invalid URI for request');
  expect(parseRequestUri('')).toBe('parse "": empty url');
  expect(parseRequestUri('//a/b')).toMatchObject({ host: '', path: '//a/b' });
  expect(parseRequestUri('/a#b')).toMatchObject({ path: '/a#b' });
});

it('a host has a name and a port', () => {
  expect(splitHost('[::1]:80')).toEqual({ hostname: '::1', port: '80' });
  expect(splitHost('example.com')).toEqual({ hostname: 'example.com', port: '' });
  expect(splitHost('example.com:')).toEqual({ hostname: 'example.com', port: '' });
});

it('a query has values by name, without invalid parameters', () => {
  expect([...parseQuery('a=1&b&a=2&&c;d=1&%zz=1&e=a+b%26')]).toEqual([
    ['a', ['1', '2']],
    ['b', ['']],
    ['e', ['a b&']],
  ]);
});
