/** Conversions between the versions of a kind keep what both versions have. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { customKinds, noConversion } from '../../../src/kinds/custom/index.js';
import type { JsonValue } from '../../../src/foundation/json/json.js';
import type { StoredObject } from '../../../src/foundation/objects/object.js';
import { kubernetes } from '../../../src/foundation/index.js';
import type { ResourceDefinition } from '../../../src/registry/definition/definition.js';
import {
  builtinResources,
  EventEventsV1,
  FlowSchemaV1beta3,
  HorizontalPodAutoscalerV1,
  PriorityLevelConfigurationV1beta3,
  ValidatingAdmissionPolicyBindingV1alpha1,
  ValidatingAdmissionPolicyBindingV1beta1,
  ValidatingAdmissionPolicyV1alpha1,
  ValidatingAdmissionPolicyV1beta1,
  VolumeAttributesClassV1alpha1,
} from '../../../src/kinds/builtin/index.js';

const text = fc.string({ minLength: 1 });
const reference = fc.record({ kind: text, name: text, namespace: text }, { requiredKeys: [] });
const time = fc.constantFrom('2024-01-01T00:00:00Z', '2024-02-29T12:34:56.123456Z');

/** Events as the core group stores them. */
const coreEvents = fc.record(
  {
    involvedObject: reference,
    reason: text,
    message: text,
    source: fc.record({ component: text, host: text }, { requiredKeys: [] }),
    firstTimestamp: time,
    lastTimestamp: time,
    count: fc.integer({ min: 1 }),
    type: text,
    eventTime: time,
    series: fc.record({ count: fc.nat(), lastObservedTime: time }),
    action: text,
    related: reference,
    reportingComponent: fc.string(),
    reportingInstance: fc.string(),
  },
  { requiredKeys: ['involvedObject', 'reportingComponent', 'reportingInstance'] },
);

const quantity = fc.integer({ min: 1, max: 999 }).map((count) => `${count}m`);
const selector = fc.record({ matchLabels: fc.dictionary(text, text, { minKeys: 1 }) });
const identifier = fc.oneof(fc.record({ name: text }), fc.record({ name: text, selector }));
const cpu = fc.integer({ min: 1, max: 100 }).map((averageUtilization) => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
}));
/** Metrics that version v1 has as an annotation. */
const otherMetric = fc.oneof(
  fc.record({
    type: fc.constant('Pods'),
    pods: fc.record({
      metric: identifier,
      target: fc.record({ type: fc.constant('AverageValue'), averageValue: quantity }),
    }),
  }),
  fc.record({
    type: fc.constant('External'),
    external: fc.record({ metric: identifier, target: fc.record({ type: fc.constant('Value'), value: quantity }) }),
  }),
);
const rules = (window: object) =>
  fc.record({
    ...window,
    selectPolicy: fc.constantFrom('Max', 'Min'),
    policies: fc.array(
      fc.record({ type: fc.constantFrom('Pods', 'Percent'), value: fc.nat(9), periodSeconds: fc.nat(60) }),
      { minLength: 1 },
    ),
  });
const scaleUp = rules({ stabilizationWindowSeconds: fc.nat(60) });

/** Autoscalers of version v2 as they are stored: with their defaults, and the use of the CPU last. */
const autoscalers = fc.record({
  spec: fc
    .record(
      {
        scaleTargetRef: fc.record({ kind: text, name: text }),
        minReplicas: fc.integer({ min: 1, max: 9 }),
        maxReplicas: fc.integer({ min: 1, max: 9 }),
        metrics: fc.tuple(fc.array(otherMetric), cpu).map(([others, last]) => [...others, last]),
        behavior: fc.record({ scaleUp, scaleDown: rules({}) }),
      },
      { requiredKeys: ['scaleTargetRef', 'minReplicas', 'maxReplicas', 'metrics'] },
    )
    .map((spec) => spec as Record<string, unknown>),
  status: fc.record(
    {
      observedGeneration: fc.integer({ min: 1 }),
      currentReplicas: fc.integer({ min: 1 }),
      desiredReplicas: fc.nat(),
      currentMetrics: fc.constant(null),
      conditions: fc.array(fc.record({ type: text, status: text, reason: text, message: text }), { minLength: 1 }),
    },
    { requiredKeys: ['desiredReplicas', 'currentMetrics'] },
  ),
});

const conditions = fc.array(fc.record({ type: text, status: text, reason: text, message: text }), { minLength: 1 });
const rule = fc.record({ operations: fc.array(text), apiGroups: fc.array(text), resources: fc.array(text) });

const policies = fc.record(
  {
    spec: fc.record(
      {
        paramKind: fc.record({ apiVersion: text, kind: text }),
        matchConstraints: fc.record({ resourceRules: fc.array(rule), matchPolicy: text }),
        validations: fc.array(fc.record({ expression: text, reason: text }, { requiredKeys: ['expression'] })),
        failurePolicy: text,
        variables: fc.array(fc.record({ name: text, expression: text })),
      },
      { requiredKeys: [] },
    ),
    status: fc.record({ observedGeneration: fc.nat(), conditions }),
  },
  { requiredKeys: ['spec'] },
);
const policyBindings = fc.record({
  spec: fc.record(
    { policyName: text, paramRef: fc.record({ name: text }), validationActions: fc.array(text) },
    { requiredKeys: ['policyName'] },
  ),
});
const flowSchemas = fc.record({
  spec: fc.record({
    priorityLevelConfiguration: fc.record({ name: text }),
    matchingPrecedence: fc.integer({ min: 1 }),
    rules: fc.array(fc.record({ subjects: fc.array(fc.record({ kind: text, user: fc.record({ name: text }) })) })),
  }),
  status: fc.record({ conditions }),
});
/** Zero shares are an annotation in version v1beta3, and greater numbers are not. */
const priorityLevels = fc.record({
  spec: fc.record({
    type: fc.constant('Limited'),
    limited: fc.record({
      nominalConcurrencyShares: fc.nat(3),
      lendablePercent: fc.nat(100),
      limitResponse: fc.record({ type: fc.constant('Reject') }),
    }),
  }),
  status: fc.record({ conditions }),
});
const volumeClasses = fc.record({ driverName: text, parameters: fc.dictionary(text, text) });

/** Stored forms of each built-in kind with a conversion. */
const storedForms = new Map<ResourceDefinition, fc.Arbitrary<Record<string, unknown>>>([
  [EventEventsV1, coreEvents],
  [HorizontalPodAutoscalerV1, autoscalers],
  [VolumeAttributesClassV1alpha1, volumeClasses],
  [ValidatingAdmissionPolicyV1beta1, policies],
  [ValidatingAdmissionPolicyV1alpha1, policies],
  [ValidatingAdmissionPolicyBindingV1beta1, policyBindings],
  [ValidatingAdmissionPolicyBindingV1alpha1, policyBindings],
  [FlowSchemaV1beta3, flowSchemas],
  [PriorityLevelConfigurationV1beta3, priorityLevels],
]);
for (const definition of storedForms.keys()) await definition.prepare?.();

const asStored = (fields: object, kind: string, apiVersion: string): StoredObject =>
  ({ kind, apiVersion, metadata: { name: 'a', uid: 'u', labels: { a: 'b' } }, ...fields }) as StoredObject;

describe('built-in kinds with several versions', () => {
  const converted = builtinResources.filter(({ conversion }) => conversion !== undefined);

  it('are all tested here', () => {
    expect(new Set(converted)).toEqual(new Set(storedForms.keys()));
  });

  it.each(converted.map((definition) => [`${definition.version} ${definition.kind}`, definition] as const))(
    '%s converts without loss',
    (_title, definition) => {
      const { conversion, kind } = definition;
      const forms = storedForms.get(definition);
      if (conversion === undefined || forms === undefined) throw new Error(`${kind} has no conversion`);
      fc.assert(
        fc.property(forms, (fields) => {
          const stored = asStored(fields, kind, conversion.hub.version);
          const before = structuredClone(stored);
          const shown = { ...conversion.fromHub(stored, kubernetes), kind, apiVersion: 'other/v1' };
          const back = { ...conversion.toHub(shown, kubernetes), kind, apiVersion: conversion.hub.version };
          expect(back).toEqual(stored);
          expect({
            ...conversion.fromHub(asStored(back, kind, back.apiVersion), kubernetes),
            kind,
            apiVersion: 'other/v1',
          }).toEqual(shown);
          expect(stored).toEqual(before);
        }),
      );
    },
  );
});

describe('custom kinds with the conversion None', () => {
  const shared = { color: { type: 'string' }, sizes: { type: 'array', items: { type: 'integer' } } };
  const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const version = (name: string, storage: boolean, own: object) => ({
    name,
    storage,
    served: true,
    schema: {
      openAPIV3Schema: {
        type: 'object',
        properties: { spec: { type: 'object', properties: { ...shared, free: anything, ...own } } },
      },
    },
  });
  const [v1] = customKinds(
    {
      group: 'shop.example',
      names: { kind: 'Widget', plural: 'widgets' },
      scope: 'Namespaced',
      versions: [
        version('v1', true, { old: { type: 'string' } }),
        version('v2', false, { young: { type: 'object', properties: { deep: { type: 'boolean' } } } }),
      ],
    },
    kubernetes,
    noConversion,
  );
  const versions = v1?.storedVersions;
  if (versions === undefined) throw new Error('a custom kind has stored versions');

  const read = (object: StoredObject, apiVersion: string): StoredObject => {
    const results = versions.read([object], apiVersion);
    if (results instanceof Promise || results[0] === undefined) throw new Error('None converts at once');
    return results[0];
  };
  const specs = fc.record(
    {
      color: text,
      sizes: fc.array(fc.integer()),
      free: fc.dictionary(
        text.filter((key) => key !== '__proto__'),
        // A stored text has no negative zero.
        fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as JsonValue),
      ),
      old: text,
      young: fc.record({ deep: fc.boolean(), unknown: text }, { requiredKeys: [] }),
      unknown: text,
    },
    { requiredKeys: [] },
  );
  const specOf = (object: StoredObject) => object['spec'] as Record<string, unknown>;

  it('keep what both versions have, and prune the rest by the schema of the version', () => {
    fc.assert(
      fc.property(specs, (spec) => {
        const stored = asStored({ spec }, 'Widget', 'shop.example/v1');
        const before = structuredClone(stored);
        const shown = read(stored, 'shop.example/v2');
        const {
          young: _young,
          unknown: _unknown,
          old: _old,
          ...both
        } = JSON.parse(JSON.stringify(spec)) as typeof spec;
        expect(shown.apiVersion).toBe('shop.example/v2');
        expect(shown.metadata).toEqual(stored.metadata);
        expect(specOf(shown)).toEqual(both);
        expect(specOf(read(shown, 'shop.example/v1'))).toEqual(both);
        expect(stored).toEqual(before);
      }),
    );
  });

  it('convert an already converted object without further change', () => {
    fc.assert(
      fc.property(specs, fc.constantFrom('v1', 'v2'), fc.constantFrom('v1', 'v2'), (spec, from, to) => {
        const once = read(asStored({ spec }, 'Widget', `shop.example/${from}`), `shop.example/${to}`);
        expect(read(once, `shop.example/${to}`)).toBe(once);
        const written = versions.write(once);
        if (written instanceof Promise) throw new Error('None converts at once');
        expect(written.apiVersion).toBe('shop.example/v1');
        expect(read(written as StoredObject, 'shop.example/v1')).toBe(written);
      }),
    );
  });
});
