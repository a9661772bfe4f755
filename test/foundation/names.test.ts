import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  dnsLabel,
  dnsLabel1035,
  dnsSubdomain,
  labelValue,
  namespaceName,
  pathSegment,
  qualifiedName,
  serviceAccountName,
} from '../../src/foundation/objects/names.js';

const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const LABEL_1035 =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const QUALIFIED =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const VALUE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

describe('object names', () => {
  test.each([
    ['subdomain', dnsSubdomain, 'a', []],
    ['subdomain', dnsSubdomain, 'a.b-c.9', []],
    ['subdomain', dnsSubdomain, 'n'.repeat(253), []],
    ['subdomain', dnsSubdomain, 'n'.repeat(254), ['must be no more than 253 characters']],
    ['subdomain', dnsSubdomain, 'My_Config', [SUBDOMAIN]],
    ['subdomain', dnsSubdomain, '', [SUBDOMAIN]],
    ['subdomain', dnsSubdomain, 'a..b', [SUBDOMAIN]],
    ['subdomain', dnsSubdomain, 'a-.b', [SUBDOMAIN]],
    ['subdomain', dnsSubdomain, 'a.-b', [SUBDOMAIN]],
    ['subdomain', dnsSubdomain, 'a.', [SUBDOMAIN]],
    ['subdomain', dnsSubdomain, 'ü'.repeat(127), ['must be no more than 253 characters', SUBDOMAIN]],
    ['service account', serviceAccountName, 'robot.one', []],
    ['label', dnsLabel, 'a-b', []],
    ['label', dnsLabel, 'n'.repeat(64), ['must be no more than 63 characters']],
    ['label', dnsLabel, 'Upper', [LABEL]],
    ['namespace', namespaceName, 'a.b', ['must not contain dots']],
    ['namespace', namespaceName, 'a.B', [LABEL]],
    ['1035 label', dnsLabel1035, 'a1', []],
    ['1035 label', dnsLabel1035, '1a', [LABEL_1035]],
    ['1035 label', dnsLabel1035, '', [LABEL_1035]],
    ['path segment', pathSegment, 'system:node', []],
    ['path segment', pathSegment, '..', ["may not be '..'"]],
    ['path segment', pathSegment, '.', ["may not be '.'"]],
    ['path segment', pathSegment, 'a%b/c', ["may not contain '/'", "may not contain '%'"]],
  ])('%s: %#', (_, rule, name, expected) => {
    expect(rule(name, false)).toEqual(expected);
  });

  test('a prefix may end in a dash, and path segments may begin with dots', () => {
    expect(dnsSubdomain('job-', true)).toEqual([]);
    expect(dnsSubdomain('job-', false)).toEqual([SUBDOMAIN]);
    expect(dnsLabel('a--', true)).toEqual([]);
    expect(dnsSubdomain('-', true)).toEqual([SUBDOMAIN]);
    expect(dnsSubdomain('Bad_', true)).toEqual([SUBDOMAIN]);
    expect(dnsSubdomain('aé-', true)).toEqual([SUBDOMAIN]);
    expect(pathSegment('..', true)).toEqual([]);
  });
});

describe('qualified names and label values', () => {
  test.each([
    ['role', []],
    ['example.com/Role_1', []],
    ['k'.repeat(63), []],
    ['k'.repeat(64), ['name part must be no more than 63 characters']],
    ['-bad', [`name part ${QUALIFIED}`]],
    ['', ['name part must be non-empty', `name part ${QUALIFIED}`]],
    ['/a', ['prefix part must be non-empty']],
    ['A.b/a', [`prefix part ${SUBDOMAIN}`]],
    ['a/', ['name part must be non-empty', `name part ${QUALIFIED}`]],
    [
      'a/b/c',
      [`a qualified name ${QUALIFIED} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`],
    ],
  ])('key %j', (key, expected) => {
    expect(qualifiedName(key)).toEqual(expected);
  });

  test.each([
    ['', []],
    ['a_b.c-D9', []],
    ['x-', [VALUE]],
    ['v'.repeat(64), ['must be no more than 63 characters']],
    ['a b', [VALUE]],
  ])('value %j', (value, expected) => {
    expect(labelValue(value)).toEqual(expected);
  });
});

test('the character loops accept exactly what the published patterns match', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'z', 'B', '0', '9', '-', '_', '.', '/', 'é'), maxLength: 9 });
  fc.assert(
    fc.property(text, (name) => {
      expect(dnsSubdomain(name, false).length === 0).toBe(
        /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(name),
      );
      expect(dnsLabel(name, false).length === 0).toBe(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name));
      expect(dnsLabel1035(name, false).length === 0).toBe(/^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(name));
      expect(labelValue(name).length === 0).toBe(/^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/.test(name));
      const parts = name.split('/');
      const prefixed = parts.length === 2 && dnsSubdomain(parts[0] ?? '', false).length === 0;
      const good =
        (parts.length === 1 || prefixed) && /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/.test(parts.at(-1) ?? '');
      expect(qualifiedName(name).length === 0).toBe(good);
    }),
    { numRuns: 2000 },
  );
});
