/** The scheduler looks at large pods and crowded nodes in steps, and at nothing more often than it has to. */
import { expectProportional } from '../support/units.js';
import { describe, expect, test } from 'vitest';
import { atOnce, kubernetes, UNBOUNDED_WORK, type Work } from '../../src/foundation/index.js';
import type { coreV1 } from '../../src/kinds/index.js';
import type { NodeState } from '../../src/simulation/nodes/cluster-state.js';
import { HostPorts } from '../../src/simulation/nodes/host-ports.js';
import { placedPod, PodsOnNode } from '../../src/simulation/nodes/pods-on-node.js';
import type { SimulatedPod } from '../../src/simulation/objects.js';
import { findPreemption, type PreemptionContext } from '../../src/simulation/pods/preemption.js';
import { placePod, type Placement } from '../../src/simulation/scheduling/fit.js';
import { pendingPod } from '../../src/simulation/scheduling/pending-pod.js';
import { amountsOf } from '../../src/simulation/scheduling/requests.js';
import { KnownTerms } from '../../src/simulation/scheduling/term-pods.js';
import { takeSteps } from '../support/steps.js';

const HOST = 'kubernetes.io/hostname';
const COUNT = 200;

const many = <Item>(make: (index: number) => Item, count = COUNT): Item[] =>
  Array.from({ length: count }, (_, index) => make(index));

function podOf(name: string, spec: Partial<coreV1.PodSpec> = {}, labels: Record<string, string> = {}): SimulatedPod {
  return {
    ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'default', uid: name, labels } },
    spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
  };
}

const stateOf = (name: string, pods: readonly SimulatedPod[] = []): NodeState => ({
  node: { apiVersion: 'v1', kind: 'Node', metadata: { name, labels: { [HOST]: name } } },
  allocatable: amountsOf({ pods: '100000', cpu: '1000' }),
  on: new PodsOnNode(pods.map(placedPod)),
});

const contextOf = (terms = new KnownTerms()): PreemptionContext => ({
  ...{ dialect: kubernetes, namespaceLabels: () => undefined, terms, budgets: [], nowMs: 0 },
});

const term = (key: string): coreV1.PodAffinityTerm => ({
  labelSelector: { matchLabels: { [key]: 'v' } },
  topologyKey: HOST,
});
const avoiding = (...keys: string[]): coreV1.Affinity => ({
  podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: keys.map(term) },
});

const placing =
  (pod: SimulatedPod, nodes: readonly NodeState[], terms?: KnownTerms) =>
  (work: Work): ReturnType<typeof placePod> =>
    placePod(pendingPod(pod), nodes, contextOf(terms), work);
const chosen = (placement: Placement): string | undefined => ('nodeName' in placement ? placement.nodeName : undefined);

describe('a pod is placed with a pause', () => {
  test('at each node', () => {
    const { result, pauses } = takeSteps(
      placing(
        podOf('p'),
        many((index) => stateOf(`n${index}`)),
      ),
    );
    expect(chosen(result)).toBe('n0');
    expect(pauses).toBeGreaterThanOrEqual(COUNT);
  });

  test('at each pod that a term or a constraint is compared with', () => {
    const nodes = [
      stateOf(
        'n',
        many((index) => podOf(`o${index}`, {}, { a: 'v' })),
      ),
    ];
    const topologySpreadConstraints = [
      { maxSkew: 1, topologyKey: HOST, whenUnsatisfiable: 'DoNotSchedule', labelSelector: {} },
    ];
    for (const spec of [{ affinity: avoiding('b') }, { topologySpreadConstraints }])
      expect(takeSteps(placing(podOf('p', spec), nodes)).pauses).toBeGreaterThanOrEqual(COUNT);
  });

  test('at each term of the pods that avoid others', () => {
    const other = podOf('o', { affinity: avoiding(...many((index) => `k${index}`)) });
    const { result, pauses } = takeSteps(placing(podOf('p', {}, { k7: 'v' }), [stateOf('n', [other])]));
    expect(result).toMatchObject({
      problems: [{ problem: "node(s) didn't satisfy existing pods anti-affinity rules" }],
    });
    expect(pauses).toBeGreaterThanOrEqual(COUNT);
  });

  test('and no step is longer than the rules of the pod', () => {
    const nodes = many((index) => stateOf(`n${index}`));
    const { longest } = takeSteps(placing(podOf('p', { affinity: avoiding('a', 'b') }), nodes));
    expect(longest).toBeLessThan(100);
  });
});

test('the terms of a pod are made ready once for all pods that are placed beside it', async () => {
  const terms = new KnownTerms();
  const other = podOf('o', { affinity: avoiding('a') });
  const first = atOnce(terms.of(other, UNBOUNDED_WORK));
  expect(first.avoided).toHaveLength(1);
  expect(atOnce(terms.of(other, UNBOUNDED_WORK))).toBe(first);
});

test('room is made on a node in time in proportion to the pods on it', async () => {
  await expectProportional((count) => {
    const lower = many((index) => podOf(`o${index}`, { priority: 0 }), count);
    const nodes = [{ ...stateOf('n', lower), allocatable: amountsOf({ pods: String(count) }) }];
    const pending = pendingPod(podOf('p', { priority: 1 }));
    const problems = nodes.map((state) => ({ state, problem: 'Too many pods' }));
    return () => {
      const found = atOnce(findPreemption(pending, nodes, problems, contextOf(), UNBOUNDED_WORK));
      expect(found).toMatchObject({ nodeName: 'n' });
      expect('victims' in found && found.victims).toHaveLength(1);
    };
  }, 200);
});

describe('the ports of a node', () => {
  const port = (address: string) => ({ port: 'TCP/80', address });

  test('are taken at all addresses by the address of all, and by any address for it', () => {
    const ports = new HostPorts();
    ports.add(port('10.0.0.1'));
    expect(ports.isTaken(port('10.0.0.2'))).toBe(false);
    expect(ports.isTaken(port('0.0.0.0'))).toBe(true);
    ports.add(port('0.0.0.0'));
    expect(ports.isTaken(port('10.0.0.2'))).toBe(true);
  });

  test('stay taken until the last pod that takes them is gone', () => {
    const ports = new HostPorts();
    for (let times = 0; times < 2; times += 1) ports.add(port('0.0.0.0'));
    ports.remove(port('0.0.0.0'));
    expect(ports.isTaken(port('10.0.0.1'))).toBe(true);
    ports.remove(port('0.0.0.0'));
    expect(ports.isTaken(port('10.0.0.1'))).toBe(false);
  });
});

test('what sidecars request is added up in time in proportion to their number', async () => {
  await expectProportional((count) => {
    const initContainers = many(
      (index) => ({
        ...{ name: `s${index}`, image: 'i', resources: { requests: { [`example.com/r${index}`]: '1' } } },
        ...(index % 2 === 0 ? { restartPolicy: 'Always' } : {}),
      }),
      count,
    );
    const pod = podOf('p', { initContainers });
    return () => expect(placedPod(pod).requests.size).toBe(count);
  }, 200);
});
