import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../src/foundation/json/json.js';
import {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingAdmissionPolicyV1alpha1,
} from '../../../../src/kinds/builtin/index.js';
import { startTestServer } from '../../../../src/entries/testing.js';
import { ask, jsonOf } from '../../../server/ask.js';
import {
  cells,
  changed,
  context,
  create,
  freeze,
  kubernetes,
  problems,
  subresourceStrategy,
  texts,
} from '../support.js';

beforeAll(async () => {
  await ValidatingAdmissionPolicy.prepare?.();
  await ValidatingAdmissionPolicyBinding.prepare?.();
  await ValidatingAdmissionPolicyV1alpha1.prepare?.();
  await ValidatingAdmissionPolicy.strategy?.load?.({ apiVersion: '', kind: '', metadata: {} });
});

const RULES = [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }];
const SPEC: JsonObject = {
  matchConstraints: { resourceRules: RULES },
  validations: [{ expression: 'true' }],
};
const policy = (change: JsonObject): JsonObject => ({ metadata: { name: 'a' }, spec: { ...SPEC, ...change } });
const of = (change: JsonObject): string[] => problems(ValidatingAdmissionPolicy, policy(change));

const undeclared = (name: string, expression: string, column = 1): string =>
  `compilation failed: ERROR: <input>:1:${column}: undeclared reference to '${name}' (in container '')\n | ${expression}\n | ${'.'.repeat(column - 1)}^`;
const invalidExpression = (path: string, expression: string, problem: string): string =>
  `${path}: Invalid value: ${JSON.stringify(expression)}: ${problem}`;

test('a policy gets defaults', () => {
  expect(create(ValidatingAdmissionPolicy, policy({}))['spec']).toEqual({
    failurePolicy: 'Fail',
    matchConstraints: {
      matchPolicy: 'Equivalent',
      namespaceSelector: {},
      objectSelector: {},
      resourceRules: [{ ...RULES[0], scope: '*' }],
    },
    validations: [{ expression: 'true' }],
  });
});

describe('a policy is refused', () => {
  const LABEL =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
  test.each<[string, JsonObject, string[]]>([
    [
      'that validates nothing',
      { validations: [] },
      [
        'spec.validations: Required value: validations or auditAnnotations must contain at least one item',
        'spec.auditAnnotations: Required value: validations or auditAnnotations must contain at least one item',
      ],
    ],
    [
      'with an unknown failure policy',
      { failurePolicy: 'Maybe' },
      ['spec.failurePolicy: Unsupported value: "Maybe": supported values: "Fail", "Ignore"'],
    ],
    ['that matches no resource', { matchConstraints: {} }, ['spec.matchConstraints.resourceRules: Required value']],
    [
      'that names a resource twice',
      { matchConstraints: { resourceRules: [{ ...RULES[0], resourceNames: ['a', 'a', 'b/c'] }] } },
      [
        'spec.matchConstraints.resourceRules[0].resourceNames[1]: Duplicate value: "a"',
        `spec.matchConstraints.resourceRules[0].resourceNames[2]: Invalid value: "b/c": may not contain '/'`,
      ],
    ],
    [
      'with an incomplete kind of parameters',
      { paramKind: {} },
      ['spec.paramKind.apiVersion: Required value', 'spec.paramKind.kind: Required value'],
    ],
    [
      'with an invalid kind of parameters',
      { paramKind: { apiVersion: 'a/b/c', kind: 'X_y' } },
      [
        'spec.paramKind.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
        `spec.paramKind.kind: Invalid value: "X_y": may have mixed case, but should otherwise match: ${LABEL}`,
      ],
    ],
    [
      'with a version of parameters that is missing',
      { paramKind: { apiVersion: 'apps/', kind: 'Deployment' } },
      ['spec.paramKind.apiVersion: Invalid value: "apps/": version must be specified'],
    ],
    [
      'with an expression that is not a boolean',
      { validations: [{ expression: '1' }] },
      ['spec.validations[0].expression: Invalid value: "1": must evaluate to bool'],
    ],
    [
      'with an expression that does not compile',
      { validations: [{ expression: 'params.x == 1' }] },
      [invalidExpression('spec.validations[0].expression', 'params.x == 1', undeclared('params', 'params.x == 1'))],
    ],
    [
      'without an expression',
      { validations: [{ expression: ' ', message: ' ', messageExpression: ' ', reason: 'Teapot' }] },
      [
        'spec.validations[0].expression: Required value: expression is not specified',
        'spec.validations[0].messageExpression: Invalid value: " ": must be non-empty if specified',
        'spec.validations[0].message: Invalid value: " ": message must be non-empty if specified',
        'spec.validations[0].reason: Unsupported value: "Teapot": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
      ],
    ],
    [
      'with a message of two lines',
      { validations: [{ expression: 'true', message: 'a\nb' }] },
      ['spec.validations[0].message: Invalid value: "a\\nb": message must not contain line breaks'],
    ],
    [
      'with a message that checks access',
      { validations: [{ expression: 'true', messageExpression: 'authorizer.path("/").check("get").reason()' }] },
      [
        invalidExpression(
          'spec.validations[0].messageExpression',
          'authorizer.path("/").check("get").reason()',
          undeclared('authorizer', 'authorizer.path("/").check("get").reason()'),
        ),
      ],
    ],
    [
      'with variables in a match condition',
      { variables: [{ name: 'a', expression: 'true' }], matchConditions: [{ name: 'a', expression: 'variables.a' }] },
      [invalidExpression('spec.matchConditions[0].expression', 'variables.a', undeclared('variables', 'variables.a'))],
    ],
    [
      'with invalid variables',
      {
        variables: [
          { name: '', expression: 'true' },
          { name: 'a-b', expression: '' },
          { name: 'for', expression: 'variables.later' },
          { name: 'later', expression: '[1]' },
        ],
        validations: [{ expression: 'variables.later[0] == "x"' }, { expression: 'variables.missing' }],
      },
      [
        'spec.variables[0].name: Required value: name is not specified',
        'spec.variables[1].name: Invalid value: "a-b": name is not a valid CEL identifier',
        'spec.variables[1].expression: Required value: expression is not specified',
        'spec.variables[2].name: Invalid value: "for": name is not a valid CEL identifier',
        invalidExpression(
          'spec.variables[2].expression',
          'variables.later',
          `compilation failed: ERROR: <input>:1:10: undefined field 'later'\n | variables.later\n | .........^`,
        ),
        invalidExpression(
          'spec.validations[0].expression',
          'variables.later[0] == "x"',
          `compilation failed: ERROR: <input>:1:20: found no matching overload for '_==_' applied to '(int, string)'\n | variables.later[0] == "x"\n | ...................^`,
        ),
        invalidExpression(
          'spec.validations[1].expression',
          'variables.missing',
          `compilation failed: ERROR: <input>:1:10: undefined field 'missing'\n | variables.missing\n | .........^`,
        ),
      ],
    ],
    [
      'with invalid audit annotations',
      {
        auditAnnotations: [
          { key: 'k', valueExpression: '' },
          { key: 'k', valueExpression: '1' },
          { key: '-', valueExpression: `'${'x'.repeat(5 * 1024)}'` },
        ],
      },
      [
        'spec.auditAnnotations[0].valueExpression: Required value: valueExpression is not specified',
        'spec.auditAnnotations[1].valueExpression: Invalid value: "1": must evaluate to one of [string null]',
        'spec.auditAnnotations[1].key: Duplicate value: "k"',
        `spec.auditAnnotations[2].key: Invalid value: "a/-": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
        'spec.auditAnnotations[2].valueExpression: Required value: must not exceed 5120 bytes in length',
      ],
    ],
  ])('%s', (_, change, expected) => expect(of(change)).toEqual(expected));
});

test('expressions may use what admission knows about a request', () => {
  const expressions = [
    'object.metadata.name == oldObject.metadata.name',
    "request.operation == 'CREATE' && request.userInfo.groups.exists(g, g == 'a') && request.kind.group == ''",
    "namespaceObject.metadata.labels['a'] == 'b' && size(namespaceObject.spec.finalizers) == 0",
    "authorizer.requestResource.check('create').allowed()",
    "authorizer.group('').resource('pods').check('get').allowed() && params.limit > 2",
  ];
  expect(
    of({
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      validations: expressions.map((expression) => ({ expression, messageExpression: "'a' + params.name" })),
    }),
  ).toEqual([]);
});

test('an unknown field of the request is refused', () => {
  expect(of({ validations: [{ expression: "request.user == 'x'" }] })).toEqual([
    invalidExpression(
      'spec.validations[0].expression',
      "request.user == 'x'",
      `compilation failed: ERROR: <input>:1:8: undefined field 'user'\n | request.user == 'x'\n | .......^`,
    ),
  ]);
});

test('the status of a policy is validated', () => {
  const old = create(ValidatingAdmissionPolicy, policy({}));
  const status = {
    typeChecking: { expressionWarnings: [{ fieldRef: '', warning: '' }] },
    conditions: [{ type: 'A', status: 'Yes', reason: '1', message: '', lastTransitionTime: null }],
  };
  const { validateUpdate } = subresourceStrategy(ValidatingAdmissionPolicy, 'status');
  const object = freeze(changed(old, { status })) as typeof old;
  expect(texts(validateUpdate?.(object, old, context))).toEqual([
    'status.typeChecking.expressionWarnings[0].warning: Required value',
    'status.typeChecking.expressionWarnings[0].fieldRef: Required value',
    'status.conditions[0].status: Unsupported value: "Yes": supported values: "False", "True", "Unknown"',
    'status.conditions[0].lastTransitionTime: Required value: must be set',
    `status.conditions[0].reason: Invalid value: "1": a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')`,
  ]);
});

describe('a binding', () => {
  const binding = (change: JsonObject): JsonObject => ({
    metadata: { name: 'a' },
    spec: { policyName: 'p', validationActions: ['Deny'], ...change },
  });
  test.each<[string, JsonObject, string[]]>([
    ['without a policy', { policyName: '' }, ['spec.policyName: Required value']],
    [
      'without an action',
      { validationActions: [] },
      ['spec.validationActions: Required value: at least one validation action is required'],
    ],
    [
      'that denies and warns',
      { validationActions: ['Deny', 'Warn', 'Deny', 'Scold'] },
      [
        'spec.validationActions[2]: Duplicate value: "Deny"',
        'spec.validationActions[3]: Unsupported value: "Scold": supported values: "Audit", "Deny", "Warn"',
        'spec.validationActions: Invalid value: []admissionregistration.ValidationAction{"Deny", "Warn", "Deny", "Scold"}: must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
      ],
    ],
    [
      'whose parameters have no name',
      { paramRef: {} },
      [
        'spec.paramRef: Required value: one of name or selector must be specified',
        'spec.paramRef.parameterNotFoundAction: Required value',
      ],
    ],
    [
      'whose parameters have a name and a selector',
      { paramRef: { name: 'a/b', selector: {}, parameterNotFoundAction: 'Ask' } },
      [
        `spec.paramRef.name: Invalid value: "a/b": may not contain '/'`,
        'spec.paramRef.name: Forbidden: name and selector are mutually exclusive',
        'spec.paramRef.selector: Forbidden: name and selector are mutually exclusive',
        'spec.paramRef.parameterNotFoundAction: Unsupported value: "Ask": supported values: "Deny", "Allow"',
      ],
    ],
    [
      'that matches an invalid rule',
      { matchResources: { excludeResourceRules: [{ ...RULES[0], operations: [] }] } },
      ['spec.matchResouces.excludeResourceRules[0].operations: Required value'],
    ],
  ])('%s is refused', (_, change, expected) =>
    expect(problems(ValidatingAdmissionPolicyBinding, binding(change))).toEqual(expected),
  );

  test('shows its policy and parameters in tables', () => {
    const withParams = { paramRef: { name: 'n', namespace: 's', parameterNotFoundAction: 'Deny' } };
    const cellsOf = (change: JsonObject) =>
      cells(ValidatingAdmissionPolicyBinding, create(ValidatingAdmissionPolicyBinding, binding(change)));
    expect(cellsOf({})).toMatchObject({ PolicyName: 'p', ParamRef: '<unset>' });
    expect(cellsOf(withParams)).toMatchObject({ ParamRef: 's/n' });
  });
});

test('a policy shows its kind of parameters in tables', () => {
  const cellsOf = (change: JsonObject) =>
    cells(ValidatingAdmissionPolicy, create(ValidatingAdmissionPolicy, policy(change)));
  expect(cellsOf({})).toMatchObject({ Validations: 1, ParamKind: '<unset>' });
  expect(cellsOf({ paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } })).toMatchObject({ ParamKind: 'v1/ConfigMap' });
});

test('a server serves all versions of one policy, counts generations, and keeps the status', async () => {
  const token = 'owner-of-the-policies-test';
  await using running = await startTestServer({
    dialect: 'kubernetes',
    authentication: { ownerToken: token },
    controllers: {
      // It would write the status in between.
      disable: ['validatingadmissionpolicy-status'],
    },
    runtimeConfig: 'admissionregistration.k8s.io/v1alpha1=true,admissionregistration.k8s.io/v1beta1=true',
  });
  const request = async (method: string, path: string, body?: object) =>
    jsonOf(
      await ask(running.server, method, `/apis/admissionregistration.k8s.io/${path}`, {
        token,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    ) as { apiVersion: string; spec: object; status: object; metadata: { generation: number } };
  const created = await request('POST', 'v1/validatingadmissionpolicies', {
    ...policy({}),
    status: { observedGeneration: 3 },
  });
  expect(created.metadata.generation).toBe(1);
  expect(created.status).toEqual({});
  const older = await request('GET', 'v1alpha1/validatingadmissionpolicies/a');
  expect(older).toEqual({ ...created, apiVersion: 'admissionregistration.k8s.io/v1alpha1' });
  const beta = await request('GET', 'v1beta1/validatingadmissionpolicies/a');
  expect(beta.spec).toEqual(created.spec);
  const spec = { ...created.spec, failurePolicy: 'Ignore' };
  const changedPolicy = await request('PUT', 'v1beta1/validatingadmissionpolicies/a', { ...beta, spec });
  expect(changedPolicy.metadata.generation).toBe(2);
  const withStatus = await request('PUT', 'v1/validatingadmissionpolicies/a/status', {
    ...changedPolicy,
    apiVersion: created.apiVersion,
    spec: created.spec,
    status: { observedGeneration: 2 },
  });
  expect(withStatus).toMatchObject({ spec, status: { observedGeneration: 2 }, metadata: { generation: 2 } });
});

test('names of types have the name of the product', () => {
  const manifest = policy({ validations: [{ expression: 'request == 1' }] });
  expect(problems(ValidatingAdmissionPolicy, manifest).join()).toContain("'(orch.AdmissionRequest, int)'");
  expect(problems(ValidatingAdmissionPolicy, manifest, kubernetes).join()).toContain(
    "'(kubernetes.AdmissionRequest, int)'",
  );
});
