import type { JsonObject } from '../../../src/foundation/json/json.js';
import type { ControlledRule, ControlledServer } from '../../../src/testing/control/controlled-server.js';

/** A server that records the commands it receives. */
export interface FakeServer extends ControlledServer {
  readonly received: string[];
}

/** Returns a server with every part. @param name appears in what it and its forks record */
export function fakeServer(name = 'main', received: string[] = []): FakeServer {
  let nowMs = Date.parse('2024-01-01T00:00:00Z');
  let forks = 0;
  const record = (text: string): void => void received.push(`${name}: ${text}`);
  const target = async (): Promise<never> => {
    throw new Error('no test asks the server itself');
  };
  return {
    received,
    target: {
      handle: target,
      handleWebSocket: target,
      listening: () => () => undefined,
      handshakeFailed: () => undefined,
    },
    kubeConfig: ({ server }) => `kubeconfig of ${name} at ${server}`,
    token: `token of ${name}`,
    time: 'manual',
    now: () => nowMs,
    async advance(ms) {
      record(`advance ${ms}`);
      nowMs += ms;
    },
    settled: async () => record('settled'),
    async fork() {
      record('fork');
      return fakeServer(`${name}.${(forks += 1)}`, received);
    },
    reset: async () => record('reset'),
    async load(manifests) {
      record(`load ${manifests}`);
      return [{ kind: 'ConfigMap' }];
    },
    faults: {
      add(rule) {
        if (rule['verb'] === undefined) throw new TypeError('the member verb is required');
        return ruleOf('fault', rule, (text) => record(text));
      },
      clear: () => record('clear faults'),
    },
    simulation: {
      add(rule) {
        if (rule['become'] === undefined) throw new TypeError('the member become is required');
        return ruleOf('rule', rule, (text) => record(text));
      },
    },
    requests: (filter) => [{ filter: { ...filter } }],
    close: async () => record('close'),
  };
}

function ruleOf(kind: string, rule: JsonObject, record: (text: string) => void): ControlledRule {
  record(`${kind} ${JSON.stringify(rule)}`);
  return { hits: 2, rule, remove: () => record(`remove ${JSON.stringify(rule)}`) };
}
