import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent, type AgentOptions } from 'node:https';
import { LruMap, type CheckedRequest, type OutboundTls } from '../../../foundation/index.js';
import type { FindProxy } from './proxy.js';
import { digestOf, secureContextOf } from './secure-context.js';
import { TunnelAgent } from './tunnel-agent.js';

/** Limits of a connection pool. */
export interface AgentLimits {
  /** Maximum number of connections to a host with the same TLS options; further requests wait. */
  readonly maxSockets: number;
  /** Maximum number of agents, one for each set of TLS options; the least recently used one is dropped. */
  readonly maxAgents: number;
  /** How long an idle connection is kept, in milliseconds. */
  readonly idleMs: number;
}

/** An agent leased for one request. */
export interface AgentLease {
  readonly agent: HttpAgent;
  /** The proxy that a plaintext request is sent to; undefined for a direct one, and for one through a tunnel. */
  readonly forwarder: URL | undefined;
  /** Keeps the agent for an exchange that outlives the lease. @returns a function that gives it back */
  hold(): () => void;
  release(): void;
}

interface Entry {
  readonly agent: HttpAgent;
  /** Number of requests in flight. */
  users: number;
  /** Whether it has left the pool; then it closes with the last request. */
  retired: boolean;
}

/** The agents of a client, one for each set of TLS options. */
export class AgentPool {
  /**
   * Agents by the digest of their options, so that the map contains no private keys; the most recently used one is
   * last.
   */
  readonly #entries: LruMap<string, Entry>;
  readonly #limits: AgentLimits;
  readonly #proxy: FindProxy | undefined;

  /** @param proxy returns the proxy for a URL; default none */
  constructor(limits: AgentLimits, proxy?: FindProxy) {
    this.#limits = limits;
    this.#proxy = proxy;
    this.#entries = new LruMap(limits.maxAgents, { dropped: retire });
  }

  /**
   * @param lasting whether the request takes a connection of its own, which is not kept
   * @throws Error for invalid certificates, or when key and certificate do not match
   */
  lease({ url, name }: CheckedRequest, tls: OutboundTls, lasting: boolean): AgentLease {
    const secure = url.protocol === 'https:';
    const proxy = this.#proxy?.(url);
    const key = `${secure ? digestOf(tls) : ''} ${lasting} ${secure ? (proxy?.href ?? '') : ''}`;
    const entry = this.#entries.use(key, () => ({
      agent: secure ? this.#secureAgent(tls, name, lasting, proxy) : new HttpAgent(this.#agentOptions(lasting)),
      users: 0,
      retired: false,
    }));
    const hold = (): (() => void) => {
      let held = true;
      entry.users += 1;
      return () => {
        if (held) release(entry);
        held = false;
      };
    };
    return { agent: entry.agent, forwarder: secure ? undefined : proxy, hold, release: hold() };
  }

  close(): void {
    for (const { agent } of this.#entries.takeAll()) agent.destroy();
  }

  #agentOptions(lasting: boolean): AgentOptions {
    const { maxSockets, idleMs } = this.#limits;
    return lasting
      ? { keepAlive: false, maxSockets: Infinity }
      : { keepAlive: true, maxSockets, maxFreeSockets: maxSockets, timeout: idleMs };
  }

  #secureAgent(tls: OutboundTls, name: string, lasting: boolean, proxy: URL | undefined): HttpsAgent {
    const options = {
      ...this.#agentOptions(lasting),
      secureContext: secureContextOf(tls, name),
      rejectUnauthorized: tls.insecureSkipVerify !== true,
    };
    return proxy === undefined ? new HttpsAgent(options) : new TunnelAgent(options, proxy);
  }
}

/** Closes the agent of an entry that has left the pool, as soon as no request uses it. */
function retire(entry: Entry): void {
  entry.retired = true;
  if (entry.users === 0) entry.agent.destroy();
}

function release(entry: Entry): void {
  entry.users -= 1;
  if (entry.retired && entry.users === 0) entry.agent.destroy();
}
