import type { Clock } from '../../meta/index.js';
import { listen, type Listener, type ListenOptions, type TransportTarget } from '../../transport/node/index.js';
import type { Port } from '../flags/kinds.js';
import { StartError, UsageError } from '../usage-error.js';
import { reasonOf } from './files.js';
import type { ServingTls } from './serving-tls.js';

/** Where a server listens. */
export interface ListenersOptions {
  readonly bindAddress: string;
  readonly securePort: Port;
  readonly insecurePort: Port;
  /** Names that Host may have on the insecure port. */
  readonly acceptHosts: readonly string[];
  /** Called when there is a secure port. */
  readonly tls: () => Promise<ServingTls>;
  readonly clock: Clock;
}

/** The open ports of a server. */
export interface Listeners {
  readonly secure: Listener | undefined;
  readonly insecure: Listener | undefined;
  /** Authority of the secure port's certificate, PEM. */
  readonly authority: string | undefined;
  /** Stops accepting, and waits at most `graceMs` for what is open. */
  close(graceMs: number): Promise<void>;
}

/** @throws UsageError when there is no port to open */
export function checkPorts({ securePort, insecurePort }: Pick<ListenersOptions, 'securePort' | 'insecurePort'>): void {
  if (securePort === 'none' && insecurePort === 'none')
    throw new UsageError('nothing to listen on: --secure-port and --insecure-loopback-port are both 0');
}

/**
 * Opens the ports.
 *
 * The secure one asks every client for a certificate and takes any: whose it is, is for authentication to find out, by
 * authorities that may change meanwhile. It names none in the handshake, because many clients present only a certificate
 * of an authority that was named.
 *
 * @throws StartError when one cannot be opened; none is open then
 */
export async function openListeners(target: TransportTarget, options: ListenersOptions): Promise<Listeners> {
  const { bindAddress, securePort, insecurePort, acceptHosts, clock } = options;
  const tls = securePort === 'none' ? undefined : await options.tls();
  const secure =
    tls &&
    (await open('secure-port', target, {
      host: bindAddress,
      port: numberOf(securePort),
      tls: { key: tls.key, cert: tls.cert },
      clock,
    }));
  try {
    const insecure =
      insecurePort === 'none'
        ? undefined
        : await open('insecure-loopback-port', target, {
            host: '127.0.0.1',
            port: numberOf(insecurePort),
            acceptHosts,
            clock,
          });
    return { secure, insecure, authority: tls?.authority, close: (graceMs) => closeAll([secure, insecure], graceMs) };
  } catch (error) {
    await closeAll([secure], 0);
    throw error;
  }
}

/** What a socket takes: 0 for any port. */
function numberOf(port: Port): number {
  return typeof port === 'number' ? port : 0;
}

async function open(flag: string, target: TransportTarget, options: ListenOptions): Promise<Listener> {
  try {
    return await listen(target, options);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
      throw new StartError(
        `--${flag}: port ${options.port} of ${options.host} is in use already: end what uses it, or choose another, such as one that is free: --${flag} auto`,
      );
    }
    throw new StartError(`--${flag}: ${reasonOf(error)}`);
  }
}

async function closeAll(listeners: readonly (Listener | undefined)[], graceMs: number): Promise<void> {
  await Promise.all(
    listeners.filter((listener) => listener !== undefined).map((listener) => listener.close({ graceMs })),
  );
}
