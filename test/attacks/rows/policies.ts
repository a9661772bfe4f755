/** Admission policies and match conditions of the attacker, for writes of the attacker. */
import { configMap, MAPS } from '../kinds.js';
import type { Row } from '../row.js';

const BASE = '/apis/admissionregistration.k8s.io/v1';
const RULES = [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE', 'UPDATE'] }];
const IN_ATTACK = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'attack' } } };

interface Policy {
  readonly validations: readonly object[];
  readonly matchConditions?: readonly object[];
  readonly auditAnnotations?: readonly object[];
  readonly matchConstraints?: object;
  readonly variables?: readonly object[];
  readonly bindings?: number;
  /** Whether its check may use up the time of the processor of a request. */
  readonly mayTakeTooLong?: boolean;
  /** Whether the controller that checks its types does as much work as its writes, because it reads and writes it, too. */
  readonly byControllers?: boolean;
}

const validation = (expression: string): object => ({ expression, message: 'no' });
const times = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, i) => make(i));
const LOOP = 'object.data.all(x, object.data.exists(y, object.data[x] == object.data[y]))';

const POLICIES: Readonly<Record<string, Policy>> = {
  'loops over the data': { validations: [validation(LOOP)] },
  'loops within each other': {
    validations: [validation('object.data.all(x, object.data.all(y, object.data.all(z, x + y + z != "")))')],
  },
  '20 loops for 20 bindings': { validations: times(20, () => validation(LOOP)), bindings: 20 },
  '6,000 terms': { validations: [validation(times(6_000, () => 'object.data.size() > 0').join(' && '))] },
  '500 validations': { validations: times(500, (i) => validation(`object.data.size() > ${-i}`)) },
  '20 validations of 4,000 terms': {
    mayTakeTooLong: true,
    validations: times(20, (i) => validation(times(4_000, () => `object.data.size()>${-i}`).join('&&'))),
  },
  '20,000 variables': {
    validations: [validation('variables.v0')],
    variables: times(20_000, (i) => ({ name: `v${i}`, expression: 'true' })),
  },
  '5,000 variables that are all read': {
    mayTakeTooLong: true,
    validations: [validation(times(5_000, (i) => `variables.v${i}`).join('&&'))],
    variables: times(5_000, (i) => ({ name: `v${i}`, expression: 'true' })),
  },
  'texts that grow': {
    validations: [validation('variables.v19.size() > 0')],
    variables: times(20, (i) => ({
      name: `v${i}`,
      expression: i === 0 ? "'x'" : `variables.v${i - 1} + variables.v${i - 1}`,
    })),
  },
  'patterns from data': { validations: [validation("object.data.all(x, !'zzzzzzzzzz'.matches(object.data[x]))")] },
  '64 match conditions of loops': {
    matchConditions: times(64, (i) => ({ name: `c${i}`, expression: `${LOOP} || ${i} >= 0` })),
    validations: [validation('true')],
  },
  '500 annotations': {
    validations: [validation('true')],
    auditAnnotations: times(20, (i) => ({
      key: `k${i}`,
      valueExpression: "object.data.map(x, object.data[x]).join('')",
    })),
  },
  'a selector of 20,000 expressions': {
    validations: [validation('true')],
    matchConstraints: {
      objectSelector: { matchExpressions: times(20_000, (i) => ({ key: `k${i}`, operator: 'DoesNotExist' })) },
    },
  },
  '20,000 rules': {
    byControllers: true,
    validations: [validation('true')],
    matchConstraints: {
      resourceRules: times(20_000, (i) => ({
        ...{ apiGroups: ['', `g${i}`], apiVersions: ['*'], resources: ['configmaps'] },
        ...{ operations: ['CREATE'], resourceNames: [`n${i}`] },
      })),
    },
  },
  'texts through all functions': {
    validations: [
      "object.data.map(k, object.data[k]).join('').split('').join('-').replace('-', '').size() > 0",
      "'%s'.format([[object.data]]).upperAscii().lowerAscii().indexOf('zzz') == -1",
      'object.data.map(k, object.data[k]) == object.data.map(k, object.data[k])',
      "object.metadata.managedFields.all(m, string(m.fieldsV1) != '') || true",
    ].map(validation),
  },
  'terms that cost little': {
    validations: [validation(`${times(4_000, (i) => `object.data.k1.contains('${i}z')`).join('||')}||true`)],
  },
  'long messages': {
    validations: [
      { expression: 'object.data.all(x, false)', messageExpression: "object.data.map(x, object.data[x]).join(' ')" },
    ],
  },
};

const DATA = Object.fromEntries(times(600, (i) => [`k${i}`, `(a{1,90}b{1,90}){1,9}${i}`]));

/** The rows. */
export const policies: readonly Row[] = Object.entries(POLICIES).flatMap(
  ([name, { bindings = 1, mayTakeTooLong = false, byControllers = false, ...spec }]): Row[] =>
    [1, 8].map((count): Row => ({
      name: `a policy with ${name}, ${count} writes`,
      ...{ rights: 'define', byControllers },
      sends: async (world, signal) => {
        const client = world.as('define').until(signal);
        const created = await client.send({
          ...{ method: 'POST', path: `${BASE}/validatingadmissionpolicies` },
          body: JSON.stringify({
            metadata: { name: 'attack' },
            spec: {
              ...spec,
              failurePolicy: 'Fail',
              matchConstraints: { ...IN_ATTACK, resourceRules: RULES, ...spec.matchConstraints },
            },
          }),
        });
        if (created.status !== 201) return [created];
        for (let binding = 0; binding < bindings; binding += 1)
          await client.send({
            ...{ method: 'POST', path: `${BASE}/validatingadmissionpolicybindings` },
            body: JSON.stringify({
              metadata: { name: `attack-${binding}` },
              spec: { policyName: 'attack', validationActions: ['Deny'] },
            }),
          });
        await new Promise((resolve) => setTimeout(resolve, 500));
        return [
          created,
          ...(await client.flood({
            request: (index) => ({ method: 'POST', path: MAPS, body: configMap(`m${index}`, DATA) }),
            times: count,
          })),
        ];
      },
      statuses: mayTakeTooLong ? [201, 403, 422, 504] : [201, 403, 422],
      keepsMb: 32,
    })),
);
