import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AccessRecording, explain, leastRules } from '../../../../src/security/index.js';
import { explanationText } from '../../../../src/security/authz/explain/text.js';
import { ruleMeasure } from '../../../../src/security/authz/explain/rule-misses.js';
import { createRbacAuthorizer, ruleAllows, rulesAllow } from '../../../../src/security/authz/rbac/index.js';
import type { Attributes } from '../../../../src/security/authz/index.js';
import { orch } from '../../../../src/foundation/index.js';
import { anyObjects, anyRequest, anyRule, applyTo, policyFrom, REQUESTS } from './support.js';

/** Requests that cannot be narrowed to a name: creates and collections. */
const hasNameInRules = ({ verb, subresource }: Attributes): boolean =>
  verb !== 'deletecollection' && (verb !== 'create' || subresource !== '');

describe('a rule', () => {
  it('misses a request in some attribute exactly if it does not allow it', () => {
    fc.assert(
      fc.property(anyRequest, anyRule, (request, rule) => {
        expect(ruleMeasure(request)(rule).trial.misses.length === 0).toBe(ruleAllows(request, rule));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('an explanation', () => {
  it('agrees with the authorizer, about objects and about a policy', () => {
    fc.assert(
      fc.property(anyRequest, anyObjects, (request, objects) => {
        const policy = policyFrom(objects);
        const decision = createRbacAuthorizer(policy)(request);
        const explanation = explain(request, policy);
        expect([explanation.allowed, explanation.reason, explanation.opinions.at(-1)]).toEqual([
          decision.decision === 'Allow',
          decision.reason,
          { ...decision, name: 'RBAC' },
        ]);
        expect(explain(request, objects)).toEqual(explanation);
        const { allowed, allowedBy, tried, nearestMisses } = explanation;
        expect(tried.some(({ rules = [] }) => rules.some(({ misses }) => misses.length === 0))).toBe(allowed);
        if (allowedBy !== undefined) expect(ruleAllows(request, allowedBy.rule)).toBe(true);
        expect([allowedBy !== undefined, explanation.remedy === undefined]).toEqual([allowed, allowed]);
        expect(tried.map(({ binding: { kind, namespace, name } }) => ({ kind, namespace, name }))).toEqual(
          policy
            .bindingsOf(request.user, request.namespace)
            .map(({ kind, namespace, name }) => ({ kind, namespace, name })),
        );
        expect(nearestMisses.length).toBe(allowed ? 0 : Math.min(5, [...policy.bindings()].length));
        for (const { misses } of nearestMisses) expect(misses.length).toBeGreaterThan(0);
        expect(explanationText(explanation)).toContain(allowed ? ' may ' : ' may not ');
      }),
      { numRuns: 500 },
    );
  });

  it('proposes a role that allows the request, and nothing else and no one else', () => {
    fc.assert(
      fc.property(anyRequest, anyObjects, (request, objects) => {
        const { allowed, remedy } = explain(request, objects);
        fc.pre(!allowed);
        const policy = policyFrom(objects);
        const authorize = createRbacAuthorizer(policy);
        const before = REQUESTS.map((probe) => authorize(probe).decision);
        applyTo(
          policy,
          [remedy?.role, remedy?.binding].flatMap((object) => object ?? []),
        );
        expect(authorize(request).decision).toBe('Allow');
        const { role } = remedy ?? {};
        expect(role?.kind).toBe(request.namespace === '' ? 'ClusterRole' : 'Role');
        REQUESTS.forEach((probe, index) => {
          if (authorize(probe).decision === before[index]) return;
          // A role for the whole cluster covers every namespace, and a rule without names every name.
          const asRequested = {
            ...probe,
            namespace: request.namespace === '' ? '' : probe.namespace,
            name: request.name === '' || !hasNameInRules(request) ? request.name : probe.name,
          };
          expect(asRequested).toEqual(request);
        });
      }),
      { numRuns: 300 },
    );
  });
});

describe('a recording', () => {
  it('makes roles that allow exactly the recorded requests', () => {
    fc.assert(
      fc.property(fc.array(anyRequest, { minLength: 1, maxLength: 40 }), (requests) => {
        const recording = new AccessRecording({ dialect: orch });
        for (const request of requests) recording.add(request, { decision: 'Allow', reason: '' });
        const policy = policyFrom({});
        applyTo(policy, [...recording.roles(), ...recording.bindings()]);
        const authorize = createRbacAuthorizer(policy);
        const isDone = (probe: Attributes): boolean =>
          requests.some(
            (request) =>
              request.user.username === probe.user.username &&
              request.verb === probe.verb &&
              request.path === probe.path &&
              request.apiGroup === probe.apiGroup &&
              request.resource === probe.resource &&
              request.subresource === probe.subresource &&
              (request.namespace === '' || request.namespace === probe.namespace) &&
              (request.name === '' || !hasNameInRules(request) || request.name === probe.name),
          );
        expect(REQUESTS.filter((probe) => (authorize(probe).decision === 'Allow') !== isDone(probe))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('merges rules without widening them, in any order of the requests', () => {
    fc.assert(
      fc.property(fc.uniqueArray(anyRequest, { maxLength: 30 }), (requests) => {
        const rules = leastRules(requests);
        expect(rules).toEqual(leastRules([...requests].reverse()));
        for (const [index] of rules.entries()) {
          // No rule is redundant: each allows a recorded request that no other rule allows.
          const others = rules.filter((_, other) => other !== index);
          expect(requests.some((request) => !rulesAllow(request, others))).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });
});
