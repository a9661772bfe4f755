import { createHash } from 'node:crypto';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent, type AgentOptions } from 'node:https';
import { createSecureContext } from 'node:tls';
import type { OutboundTls } from '../../outbound/index.js';

/** Bounds of a pool of connections. */
export interface AgentLimits {
  /** Connections to one host with the same TLS options. Default 16; what comes on top waits. */
  readonly maxSockets: number;
  /** Sets of TLS options whose connections are kept. Default 64; the one that was not used for longest goes. */
  readonly maxAgents: number;
  /** Milliseconds for which an idle connection is kept. Default 60 000. */
  readonly idleMs: number;
}

/** An agent for the time of one request. */
export interface AgentLease {
  readonly agent: HttpAgent;
  release(): void;
}

interface Entry {
  readonly agent: HttpAgent;
  /** Requests under way. */
  users: number;
  /** No longer in the pool: closes with the last request. */
  retired: boolean;
}

/** The agents of a client: one for each set of TLS options. */
export class AgentPool {
  /** By the digest of the options, so that the map holds no keys; the one that was used last at the end. */
  private readonly entries = new Map<string, Entry>();

  constructor(private readonly limits: AgentLimits) {}

  /**
   * @param name what messages call the request
   * @throws Error when the TLS options are no certificate, or key and certificate do not belong together
   */
  lease(protocol: string, tls: OutboundTls, name: string): AgentLease {
    const key = protocol === 'https:' ? digest(tls) : protocol;
    const entry = this.entries.get(key) ?? {
      agent: protocol === 'https:' ? this.secureAgent(tls, name) : new HttpAgent(this.agentOptions()),
      users: 0,
      retired: false,
    };
    this.entries.delete(key);
    this.entries.set(key, entry);
    entry.users += 1;
    this.shrink();
    return { agent: entry.agent, release: () => release(entry) };
  }

  close(): void {
    for (const { agent } of this.entries.values()) agent.destroy();
    this.entries.clear();
  }

  private shrink(): void {
    for (const [key, entry] of this.entries) {
      if (this.entries.size <= this.limits.maxAgents) return;
      this.entries.delete(key);
      entry.retired = true;
      if (entry.users === 0) entry.agent.destroy();
    }
  }

  private agentOptions(): AgentOptions {
    const { maxSockets, idleMs } = this.limits;
    return { keepAlive: true, maxSockets, maxFreeSockets: maxSockets, timeout: idleMs };
  }

  private secureAgent(tls: OutboundTls, name: string): HttpsAgent {
    return new HttpsAgent({
      ...this.agentOptions(),
      secureContext: secureContext(tls, name),
      rejectUnauthorized: tls.insecureSkipVerify !== true,
    });
  }
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
  // The library trusts nobody then, and says so only at the handshake, in misleading words.
  if (certificateAuthority !== '' && !certificateAuthority.includes('-----BEGIN CERTIFICATE-----')) {
    throw new Error(`${name}: the certificate authority to trust is not a PEM certificate`);
  }
  if ((certificate === '') !== (key === ''))
    throw new Error(`${name}: a client certificate and its key must be given together`);
  try {
    return createSecureContext({
      ...(certificateAuthority === '' ? {} : { ca: certificateAuthority }),
      ...(key === '' ? {} : { cert: certificate, key }),
    });
  } catch (error) {
    throw new Error(
      `${name}: the TLS options cannot be used: ${error instanceof Error && 'code' in error ? String(error.code) : 'malformed PEM'}`,
    );
  }
}
