import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../src/foundation/errors/api-error.js';
import { parseRequestInfo, type RequestInfo } from '../../src/server/requests/request-info.js';

function parsed(method: string, target: string): RequestInfo {
  const [path = '', query = ''] = target.split('?');
  const info = parseRequestInfo(method, path, query);
  if (info instanceof ApiError) throw info;
  return info;
}

/** `verb group/version namespace resource/subresource name`, with `-` for empty parts. */
const summary = (info: RequestInfo): string =>
  [info.verb, `${info.group}/${info.version}`, info.namespace, `${info.resource}/${info.subresource}`, info.name]
    .map((word) => (word === '' ? '-' : word))
    .join(' ');

describe('resource requests', () => {
  it.each([
    ['GET', '/api/v1/namespaces', 'list /v1 - namespaces/ -'],
    ['GET', '/api/v1/namespaces/other', 'get /v1 other namespaces/ other'],
    ['PUT', '/api/v1/namespaces/other/finalize', 'update /v1 other namespaces/finalize other'],
    ['PATCH', '/api/v1/namespaces/other/status', 'patch /v1 other namespaces/status other'],
    ['GET', '/api/v1/namespaces/other/configmaps', 'list /v1 other configmaps/ -'],
    ['GET', '/api/v1/namespaces/other/configmaps?watch=true', 'watch /v1 other configmaps/ -'],
    ['GET', '/api/v1/namespaces/other/configmaps?watch=', 'watch /v1 other configmaps/ -'],
    ['GET', '/api/v1/namespaces/other/configmaps?watch', 'watch /v1 other configmaps/ -'],
    ['GET', '/api/v1/namespaces/other/configmaps?%77atch=1', 'watch /v1 other configmaps/ -'],
    ['GET', '/api/v1/namespaces/other/configmaps?watch=0', 'list /v1 other configmaps/ -'],
    ['GET', '/api/v1/namespaces/other/configmaps?watch=False', 'list /v1 other configmaps/ -'],
    ['GET', '/api/v1/namespaces/other/configmaps?labelSelector=watch', 'list /v1 other configmaps/ -'],
    ['GET', '/api/v1/configmaps', 'list /v1 - configmaps/ -'],
    ['GET', '/api/v1/namespaces/other/configmaps/abc', 'get /v1 other configmaps/ abc'],
    ['GET', '/api/v1/namespaces/other/configmaps/abc?watch=true', 'watch /v1 other configmaps/ abc'],
    ['GET', '/api/v1/namespaces/other/pods/abc/status?watch=true', 'get /v1 other pods/status abc'],
    ['HEAD', '/api/v1/namespaces/other/configmaps/abc', 'get /v1 other configmaps/ abc'],
    ['POST', '/api/v1/namespaces/other/configmaps', 'create /v1 other configmaps/ -'],
    ['POST', '/api/v1/namespaces/other/serviceaccounts/robot/token', 'create /v1 other serviceaccounts/token robot'],
    ['DELETE', '/api/v1/namespaces/other/configmaps', 'deletecollection /v1 other configmaps/ -'],
    ['DELETE', '/api/v1/namespaces/other/configmaps/abc', 'delete /v1 other configmaps/ abc'],
    ['OPTIONS', '/api/v1/namespaces/other/configmaps', '- /v1 other configmaps/ -'],
    ['GET', '/apis/example.com/v1/things', 'list example.com/v1 - things/ -'],
    ['GET', '/apis/example.com/v1/namespaces/ns/things/a/scale', 'get example.com/v1 ns things/scale a'],
    ['GET', '/api/v1/watch/configmaps', 'watch /v1 - configmaps/ -'],
    ['GET', '/api/v1/watch/namespaces', 'watch /v1 - namespaces/ -'],
    ['GET', '/api/v1/watch/namespaces/ns', 'watch /v1 ns namespaces/ ns'],
    ['GET', '/api/v1/watch/namespaces/ns/configmaps/abc', 'watch /v1 ns configmaps/ abc'],
    ['GET', '/apis/example.com/v1/watch/namespaces/ns/things', 'watch example.com/v1 ns things/ -'],
    ['DELETE', '/api/v1/watch/namespaces/ns/configmaps', 'watch /v1 ns configmaps/ -'],
    ['POST', '/api/v1/watch/configmaps', 'watch /v1 - configmaps/ -'],
    ['HEAD', '/api/v1/watch/configmaps', 'watch /v1 - configmaps/ -'],
    ['GET', '/api/v1/watch/namespaces/ns/pods/abc/status', 'watch /v1 ns pods/status abc'],
    [
      'GET',
      '/apis/rbac.example/v1/namespaces/ns/roles/System:Odd_Name%20no%201',
      'get rbac.example/v1 ns roles/ System:Odd_Name no 1',
    ],
    ['GET', '/api/v1/namespaces/ns/configmaps/%61bc', 'get /v1 ns configmaps/ abc'],
    ['GET', '/api/v1/namespaces/', 'list /v1 - namespaces/ -'],
    ['GET', '/api/v1/namespaces/ns/', 'get /v1 ns namespaces/ ns'],
    ['PUT', '/api/v1/namespaces/ns/finalize/', 'update /v1 ns namespaces/finalize ns'],
    ['GET', '/api/v1/namespaces/ns/configmaps/', 'list /v1 ns configmaps/ -'],
    ['GET', '/api/v1/namespaces/ns/configmaps/?watch=1', 'watch /v1 ns configmaps/ -'],
    ['POST', '/api/v1/namespaces/ns/configmaps/', 'create /v1 ns configmaps/ -'],
    ['DELETE', '/api/v1/namespaces/ns/configmaps/', 'deletecollection /v1 ns configmaps/ -'],
    ['DELETE', '/api/v1/namespaces/ns/configmaps/abc/', 'delete /v1 ns configmaps/ abc'],
    ['PATCH', '/api/v1/namespaces/ns/pods/abc/status/', 'patch /v1 ns pods/status abc'],
    ['GET', '/apis/example.com/v1/things/', 'list example.com/v1 - things/ -'],
    ['GET', '/api/v1/watch/namespaces/ns/configmaps/', 'watch /v1 ns configmaps/ -'],
    ['GET', '/api/v1/watch/namespaces/ns/configmaps/abc/', 'watch /v1 ns configmaps/ abc'],
  ])('%s %s', (method, target, expected) => {
    const info = parsed(method, target);
    expect(info.isResource).toBe(true);
    expect(summary(info)).toBe(expected);
  });

  it('keeps parts that it does not interpret', () => {
    expect(parsed('GET', '/api/v1/namespaces/ns/pods/a/proxy/x/y').parts).toEqual(['pods', 'a', 'proxy', 'x', 'y']);
  });

  it('reads the query in every form', () => {
    const path = '/api/v1/configmaps';
    for (const query of ['watch=1', new URLSearchParams('watch=1'), () => new URLSearchParams('watch=1')]) {
      expect(parseRequestInfo('GET', path, query)).toMatchObject({ verb: 'watch' });
    }
  });

  it('ignores the query of a write', () => {
    const never = (): URLSearchParams => {
      throw new Error('looked');
    };
    expect(parseRequestInfo('POST', '/api/v1/configmaps', never)).toMatchObject({ verb: 'create' });
  });
});

describe('non-resource requests', () => {
  it.each([
    ['GET', '/', 'get', '/'],
    ['GET', '/api', 'get', '/api'],
    ['GET', '/api/', 'get', '/api/'],
    ['GET', '/api/v1', 'get', '/api/v1'],
    ['GET', '/api/v1/', 'get', '/api/v1/'],
    ['GET', '/apis/example.com/v1', 'get', '/apis/example.com/v1'],
    ['DELETE', '/apis/example.com/v1', 'delete', '/apis/example.com/v1'],
    ['POST', '/healthz', 'post', '/healthz'],
    ['GET', '/no/such/path/at/all', 'get', '/no/such/path/at/all'],
    ['GET', '//api/v1/configmaps', 'get', '//api/v1/configmaps'],
    ['GET', '/healthz/%70ing', 'get', '/healthz/ping'],
    ['GET', '', 'get', ''],
    ['OPTIONS', '*', 'options', '*'],
  ])('%s %s', (method, path, verb, decoded) => {
    expect(parseRequestInfo(method, path, '')).toMatchObject({
      isResource: false,
      verb,
      path: decoded,
      resource: '',
      parts: [],
    });
  });
});

describe('rejected paths', () => {
  it.each([
    ['/api/v1/namespaces/ns/configmaps/..', 400, `Name parameter invalid: "..": may not be '..'`],
    ['/api/v1/namespaces/ns/configmaps/%2e%2E', 400, `Name parameter invalid: "..": may not be '..'`],
    ['/api/v1/namespaces/ns/configmaps/.', 400, `Name parameter invalid: ".": may not be '.'`],
    ['/api/v1/namespaces/ns/configmaps/a%2Fb', 400, `Name parameter invalid: "a/b": may not contain '/'`],
    ['/api/v1/namespaces/ns/configmaps/a%252Fb', 400, `Name parameter invalid: "a%2Fb": may not contain '%'`],
    ['/api/v1/namespaces/ns/configmaps/a%00', 400, 'Name parameter invalid: "a\\x00": may not contain NUL'],
    ['/api/v1/namespaces/ns/configmaps/a\0', 400, 'Name parameter invalid: "a\\x00": may not contain NUL'],
    ['/api/v1/namespaces/a%2Fb/configmaps', 400, `Namespace parameter invalid: "a/b": may not contain '/'`],
    ['/api/v1/namespaces/../configmaps/x', 400, `Namespace parameter invalid: "..": may not be '..'`],
    ['/api/v1/namespaces/..', 400, `Name parameter invalid: "..": may not be '..'`],
    ['/api/v1/../configmaps', 404, 'the server could not find the requested resource'],
    ['/apis/a%2Fb/v1/things', 404, 'the server could not find the requested resource'],
    ['/api/v1/namespaces/ns/configmaps/a/%2e%2e', 404, 'the server could not find the requested resource'],
    ['/api/v1/namespaces/ns/configmaps//', 404, 'the server could not find the requested resource'],
    ['/api/v1/namespaces/ns/configmaps/a//', 404, 'the server could not find the requested resource'],
    ['/api/v1/namespaces//', 404, 'the server could not find the requested resource'],
    ['/api/v1//', 404, 'the server could not find the requested resource'],
    ['/api/v1/namespaces/ns/configmaps/%2f', 400, `Name parameter invalid: "/": may not contain '/'`],
    ['/api/v1/namespaces/ns/configmaps%2f', 404, 'the server could not find the requested resource'],
    ['/api/v1/watch/', 400, 'unable to determine kind and namespace from url, /api/v1/watch/'],
    ['/api/v1/namespaces//configmaps', 404, 'the server could not find the requested resource'],
    ['/api/v1//configmaps', 404, 'the server could not find the requested resource'],
    ['/apis//v1/things', 404, 'the server could not find the requested resource'],
    ['/api/v1/namespaces/ns/configmaps/a%zz', 400, 'invalid URL escape "%zz"'],
    ['/api/v1/namespaces/ns/configmaps/a%4', 400, 'invalid URL escape "%4"'],
    ['/api/v1/namespaces/ns/configmaps/%c0%af', 400, 'invalid URL escape "%c0%af": not UTF-8'],
    ['/healthz/%', 400, 'invalid URL escape "%"'],
    ['/apis/a%2Fb', 400, 'the path may not contain an encoded slash or NUL'],
    ['/api%2Fv1%2Fsecrets', 400, 'the path may not contain an encoded slash or NUL'],
    ['/api/v1/watch', 400, 'unable to determine kind and namespace from url, /api/v1/watch'],
  ])('%j', (path, code, message) => {
    const refusal = parseRequestInfo('GET', path, '');
    expect(refusal).toBeInstanceOf(ApiError);
    expect(refusal).toMatchObject({ code, message });
  });
});

describe('properties', () => {
  const segment = fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }).filter((text) => !/\p{Cs}/u.test(text));
  const rawPath = fc
    .array(
      fc.oneof(
        fc.constantFrom(
          'api',
          'apis',
          'v1',
          'namespaces',
          'watch',
          'configmaps',
          '..',
          '.',
          '',
          '%2e%2e',
          '%2F',
          '%00',
          '%',
        ),
        fc.webSegment(),
      ),
      { maxLength: 9 },
    )
    .map((words) => `/${words.join('/')}`);

  it('no part ever contains a slash, percent sign or NUL, for any path', () => {
    fc.assert(
      fc.property(fc.constantFrom('GET', 'DELETE', 'POST', 'PUT'), rawPath, (method, path) => {
        const info = parseRequestInfo(method, path, '');
        if (info instanceof ApiError || !info.isResource) return;
        for (const word of [
          info.group,
          info.version,
          info.namespace,
          info.resource,
          info.subresource,
          info.name,
          ...info.parts,
        ]) {
          expect(word).not.toMatch(/[/%\0]/);
          expect(['.', '..']).not.toContain(word);
        }
        expect(info.parts.every((word) => word !== '')).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('encoded words are decoded to the original, or rejected', () => {
    fc.assert(
      fc.property(segment, segment, (namespace, name) => {
        const info = parseRequestInfo(
          'GET',
          `/api/v1/namespaces/${encodeURIComponent(namespace)}/configmaps/${encodeURIComponent(name)}`,
          '',
        );
        if (info instanceof ApiError) expect(`${namespace} ${name}`).toMatch(/[/%\0]|(^| )\.\.?( |$)/);
        else
          expect([info.namespace, info.name, info.resource, info.verb]).toEqual([namespace, name, 'configmaps', 'get']);
      }),
      { numRuns: 1000 },
    );
  });
});
