import type { Clock } from '../../foundation/index.js';
import type { TransportTarget } from '../../transport/index.js';
import type { PageOptions } from '../../ui/index.js';
import { listen, type Listener, type ListenOptions } from '../../transport/node.js';
import type { Port } from '../flags/kinds.js';
import { StartError, UsageError } from '../usage-error.js';
import { reasonOf } from './files.js';
import type { ServingTls } from './keys/serving-tls.js';

/** Addresses and limits of a server's ports. */
export interface ListenersOptions {
  readonly bindAddress: string;
  readonly securePort: Port;
  readonly insecurePort: Port;
  /** Accepted Host names on the plaintext port. */
  readonly acceptHosts: readonly string[];
  /** Returns key and certificate; called only when there is a secure port. */
  readonly tls: () => Promise<ServingTls>;
  /** Size and time limits for the clients of both ports. */
  readonly limits: Pick<ListenOptions, 'limits' | 'timeouts'>;
  /** Whether the page for people is served at `/ui`, and how. */
  readonly ui: boolean | PageOptions;
  readonly clock: Clock;
}

/** The open ports of a server. */
export interface Listeners {
  readonly secure: Listener | undefined;
  readonly insecure: Listener | undefined;
  /** Certificate authority of the secure port's certificate, PEM. */
  readonly authority: string | undefined;
  /** Asks clients to use other connections. Requests are served until the ports close. */
  drain(): void;
  /** Stops accepting, and waits at most `graceMs` milliseconds for open connections. */
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
 * The secure port requests a client certificate and accepts any: authentication verifies it against authorities that
 * may change while the port is open. The handshake names no authorities, because many clients only present a
 * certificate of a named one.
 *
 * @throws StartError when a port cannot be opened; no port stays open
 */
export async function openListeners(target: TransportTarget, options: ListenersOptions): Promise<Listeners> {
  const { bindAddress, securePort, insecurePort, acceptHosts, limits, ui, clock } = options;
  const tls = securePort === 'none' ? undefined : await options.tls();
  const secure =
    tls &&
    (await openListener('secure-port', target, {
      host: bindAddress,
      port: numberOf(securePort),
      tls: { key: tls.key, cert: tls.cert },
      ...limits,
      ui,
      clock,
    }));
  try {
    const insecure =
      insecurePort === 'none'
        ? undefined
        : await openListener('insecure-loopback-port', target, {
            host: '127.0.0.1',
            port: numberOf(insecurePort),
            acceptHosts,
            ...limits,
            ui,
            clock,
          });
    return {
      ...{ secure, insecure, authority: tls?.authority },
      drain() {
        secure?.drain();
        insecure?.drain();
      },
      close: (graceMs) => closeAll([secure, insecure], graceMs),
    };
  } catch (error) {
    await closeAll([secure], 0);
    throw error;
  }
}

/** Returns the port number for a socket: 0 for any free port. */
function numberOf(port: Port): number {
  return typeof port === 'number' ? port : 0;
}

/**
 * Opens the port of a flag.
 *
 * @throws StartError that names the flag, with a remedy for a port in use
 */
export async function openListener(flag: string, target: TransportTarget, options: ListenOptions): Promise<Listener> {
  try {
    return await listen(target, options);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
      throw new StartError(
        `--${flag}: port ${options.port} of ${options.host} is already in use: stop the process that uses it, or choose another port, for example with --${flag} auto`,
      );
    }
    throw new StartError(`--${flag}: ${reasonOf(error)}`);
  }
}

async function closeAll(listeners: readonly (Listener | undefined)[], graceMs: number): Promise<void> {
  await Promise.all(
    listeners.filter((listener) => listener !== undefined).map((listener) => listener.close({ grace: graceMs })),
  );
}
