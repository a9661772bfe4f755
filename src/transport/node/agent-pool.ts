import { createHash } from 'node:crypto';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent, type AgentOptions } from 'node:https';
import { createSecureContext } from 'node:tls';
import { LruMap, type OutboundTls } from '../../foundation/index.js';

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

  constructor(limits: AgentLimits) {
    this.#limits = limits;
    this.#entries = new LruMap(limits.maxAgents, { dropped: retire });
  }

  /**
   * @param name name of the request in error messages
   * @throws Error for invalid certificates, or when key and certificate do not match
   */
  lease(protocol: string, tls: OutboundTls, name: string): AgentLease {
    const key = protocol === 'https:' ? digest(tls) : protocol;
    const entry = this.#entries.use(key, () => ({
      agent: protocol === 'https:' ? this.#secureAgent(tls, name) : new HttpAgent(this.#agentOptions()),
      users: 0,
      retired: false,
    }));
    entry.users += 1;
    return { agent: entry.agent, release: () => release(entry) };
  }

  close(): void {
    for (const { agent } of this.#entries.takeAll()) agent.destroy();
  }

  #agentOptions(): AgentOptions {
    const { maxSockets, idleMs } = this.#limits;
    return { keepAlive: true, maxSockets, maxFreeSockets: maxSockets, timeout: idleMs };
  }

  #secureAgent(tls: OutboundTls, name: string): HttpsAgent {
    return new HttpsAgent({
      ...this.#agentOptions(),
      secureContext: secureContext(tls, name),
      rejectUnauthorized: tls.insecureSkipVerify !== true,
    });
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

function digest({ certificateAuthority, certificate, key, serverName, insecureSkipVerify }: OutboundTls): string {
  const options = [
    certificateAuthority ?? '',
    certificate ?? '',
    key ?? '',
    serverName ?? '',
    insecureSkipVerify === true,
  ];
  return createHash('sha256').update(JSON.stringify(options)).digest('base64');
}

function secureContext(tls: OutboundTls, name: string): ReturnType<typeof createSecureContext> {
  const { certificateAuthority = '', certificate = '', key = '' } = tls;
  // Node would trust no authority and fail only at the handshake, with a misleading message.
  if (certificateAuthority !== '' && !certificateAuthority.includes('-----BEGIN CERTIFICATE-----')) {
    throw new Error(`${name}: the certificate authority to trust is not a PEM certificate`);
  }
  if ((certificate === '') !== (key === ''))
    throw new Error(`${name}: a client certificate and its key must be given together`);
  try {
    return createSecureContext({
      // As Go does: a certificate that is trusted needs no issuer, be it an intermediate or that of the server itself.
      allowPartialTrustChain: true,
      ...(certificateAuthority === '' ? {} : { ca: certificateAuthority }),
      ...(key === '' ? {} : { cert: certificate, key }),
    });
  } catch (error) {
    throw new Error(
      `${name}: invalid TLS options: ${error instanceof Error && 'code' in error ? String(error.code) : 'malformed PEM'}`,
    );
  }
}
