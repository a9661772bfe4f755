import { arch, platform } from 'node:os';
import { systemClock, systemEntropy, type Clock, type Entropy } from '../meta/index.js';

/** Where text goes. */
export interface Output {
  write(text: string): unknown;
  /** Whether a person reads it. */
  readonly isTTY?: boolean | undefined;
}

/** Everything that the program wants of the process it runs in. */
export interface Host {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** Version of this package. */
  readonly version: string;
  /** Name and version of the language runtime, `node22.1.0`. */
  readonly runtime: string;
  /** `os/architecture`, `linux/amd64`. */
  readonly platform: string;
  /** Calls back at each request to end, with the signal's name, until the returned function is called. */
  onSignal(callback: (signal: string) => void): () => void;
  /** Ends the process now. */
  exit(code: number): void;
}

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
/** Architectures by the names that clients know. */
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };

/** The process itself. */
export function processHost(version: string): Host {
  return {
    stdout: process.stdout,
    stderr: process.stderr,
    clock: systemClock,
    entropy: systemEntropy,
    version,
    runtime: `node${process.versions.node}`,
    platform: `${platform()}/${ARCHITECTURES[arch()] ?? arch()}`,
    onSignal(callback) {
      for (const signal of SIGNALS) process.on(signal, callback);
      return () => SIGNALS.forEach((signal) => process.off(signal, callback));
    },
    exit: (code) => process.exit(code),
  };
}
