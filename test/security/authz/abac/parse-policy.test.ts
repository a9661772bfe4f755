import { describe, expect, it } from 'vitest';
import { parseAbacPolicy } from '../../../../src/security/authz/abac/index.js';
import { orch } from '../../../../src/foundation/index.js';
import { line } from './support.js';

const parse = (text: string, options?: { maxPolicies?: number }) =>
  parseAbacPolicy(text, '/etc/policy.jsonl', orch, options);

describe('a policy file', () => {
  it('may be empty, lack a final line break, and have the line breaks of another system', () => {
    expect(parse('')).toEqual({ policies: [], warnings: [] });
    expect(
      parse(`${line({ user: 'a' })}\r\n\r\n# ${line({ user: 'b' })}\r\n  \t${line({ user: 'c' })}`).policies.map(
        ({ user }) => user,
      ),
    ).toEqual(['a', 'c']);
  });

  it('states every field of a policy; missing fields grant nothing', () => {
    const spec = {
      user: 'u',
      group: 'g',
      readonly: true,
      apiGroup: 'apps',
      resource: 'deployments',
      namespace: 'n',
      nonResourcePath: '/x',
    };
    expect(parse(line(spec)).policies).toEqual([spec]);
    expect(parse('{"apiVersion":"abac.authorization.orch.io/v1beta1","kind":"Policy"}').policies).toEqual([
      { user: '', group: '', readonly: false, apiGroup: '', resource: '', namespace: '', nonResourcePath: '' },
    ]);
  });

  it('may have unknown fields and nulls', () => {
    expect(parse(line({ user: 'u', verb: 'get', readonly: null, namespace: null })).policies).toMatchObject([
      { user: 'u', readonly: false, namespace: '' },
    ]);
    expect(parse('{"user":"u","nonResourcePath":1,"User":2}').policies).toMatchObject([
      { user: 'u', nonResourcePath: '*' },
    ]);
  });

  it('causes one warning if lines have no version', () => {
    expect(parse('{"user":"a"}\n{"kind":"Policy","user":"b"}').warnings).toEqual([
      'Policy file /etc/policy.jsonl contained unversioned rules. See docs/admin/authorization.md#abac-mode for ABAC file format details.',
    ]);
    expect(parse('{"apiVersion":"abac.authorization.orch.io/v0","kind":"Policy","user":"a"}')).toMatchObject({
      policies: [{ user: 'a', apiGroup: '*' }],
      warnings: [],
    });
  });
});

describe('an invalid line stops the parsing', () => {
  const rows: readonly (readonly [line: string, why: string])[] = [
    ['{', "couldn't get version/kind; json parse error: unexpected end of JSON input"],
    [
      '{user: "a"}',
      "couldn't get version/kind; json parse error: invalid character 'u' looking for beginning of object key string",
    ],
    [
      '{"user":"a"} {"user":"b"}',
      "couldn't get version/kind; json parse error: invalid character '{' after top-level value",
    ],
    [
      '[]',
      "couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type map[string]interface {}",
    ],
    [
      'null',
      "couldn't get version/kind; json parse error: json: cannot unmarshal null into Go value of type map[string]interface {}",
    ],
    [
      '{"kind":1}',
      "couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string",
    ],
    ['{"apiVersion":"a/b/c"}', 'unexpected GroupVersion string: a/b/c'],
    ['{"kind":"Polizei"}', 'no kind "Polizei" is registered for version "abac.authorization.orch.io/v0"'],
    ['{"apiVersion":"v1","kind":"Policy"}', 'no kind "Policy" is registered for version "v1"'],
    [
      '{"apiVersion":"abac.authorization.orch.io/v1","kind":"Policy"}',
      'no kind "Policy" is registered for version "abac.authorization.orch.io/v1"',
    ],
    [
      '{"apiVersion":"abac.authorization.orch.io/v1beta1","user":"a"}',
      'converting (v1beta1.Policy) to (v0.Policy): unknown conversion',
    ],
    [line({ user: 1 }), 'json: cannot unmarshal number into Go struct field PolicySpec.spec.user of type string'],
    [
      line({ resource: ['pods'], readonly: 'yes' }),
      'json: cannot unmarshal array into Go struct field PolicySpec.spec.resource of type string',
    ],
    [
      line({ readonly: 'yes', resource: ['pods'] }),
      'json: cannot unmarshal string into Go struct field PolicySpec.spec.readonly of type bool',
    ],
    [
      '{"apiVersion":"abac.authorization.orch.io/v1beta1","kind":"Policy","spec":true}',
      'json: cannot unmarshal bool into Go struct field Policy.spec of type v1beta1.PolicySpec',
    ],
    ['{"namespace":{}}', 'json: cannot unmarshal object into Go struct field Policy.namespace of type string'],
  ];

  it.each(rows)('%s', (text, why) => {
    expect(() => parse(`\n${line({ user: 'a' })}\n ${text}\n{`)).toThrow(
      new Error(`error reading policy file /etc/policy.jsonl, line 3:  ${text}: ${why}`),
    );
  });
});

describe('bounds', () => {
  it('a line has less than 64 KiB, counted in bytes, including comments', () => {
    const fill = (length: number): string => `#${'x'.repeat(length - 1)}`;
    expect(parse(fill(65_535)).policies).toEqual([]);
    expect(() => parse(`${fill(65_536)}\n{`)).toThrow(
      'error reading policy file /etc/policy.jsonl: bufio.Scanner: token too long',
    );
    expect(() => parse(`#${'€'.repeat(21_845)}`)).toThrow('token too long');
  });

  it('a file has a maximum number of policies', () => {
    expect(parse('{}\n{}', { maxPolicies: 2 }).policies).toHaveLength(2);
    expect(() => parse('{}\n#\n{}', { maxPolicies: 1 })).toThrow(
      'error reading policy file /etc/policy.jsonl, line 3: more than 1 policies',
    );
  });

  it('a line of maximum nesting depth is an error, and not a crash', () => {
    const nested = `{"a":${'['.repeat(60_000)}`;
    expect(() => parse(nested)).toThrow(
      expect.toSatisfy((error: Error) =>
        error.message.endsWith("couldn't get version/kind; json parse error: exceeded max depth"),
      ),
    );
  });
});
