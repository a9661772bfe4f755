import { arch, platform } from 'node:os';
import { ownMember, systemClock, systemEntropy, type Clock, type Entropy } from '../foundation/index.js';
import { watchParent } from './parent-process.js';

/** An output stream for text. */
export interface Output {
  write(text: string): unknown;
  /** Whether the output is a terminal. */
  readonly isTTY?: boolean | undefined;
}

/** Everything that the program needs from its process. */
export interface Host {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** Folder of this package. */
  readonly root: URL;
  /** Version of this package. */
  readonly version: string;
  /** Name and version of the language runtime, `node22.1.0`. */
  readonly runtime: string;
  /** `os/architecture`, `linux/amd64`. */
  readonly platform: string;
  /** Calls back on each termination signal, with its name, until the returned function is called. */
  onSignal(callback: (signal: string) => void): () => void;
  /** Calls back once when the parent process has ended, until the returned function is called. */
  onParentEnd(callback: () => void): () => void;
  /** Exits the process immediately. */
  exit(code: number): void;
}

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
/** Names of architectures as Go spells them, which clients expect. */
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };

/** Returns the host of the current process. */
export function processHost(root: URL, version: string): Host {
  return {
    stdout: process.stdout,
    stderr: process.stderr,
    clock: systemClock,
    entropy: systemEntropy,
    root,
    version,
    runtime: `node${process.versions.node}`,
    platform: `${platform()}/${ownMember(ARCHITECTURES, arch()) ?? arch()}`,
    onSignal(callback) {
      for (const signal of SIGNALS) process.on(signal, callback);
      return () => SIGNALS.forEach((signal) => process.off(signal, callback));
    },
    onParentEnd: (callback) => watchParent(systemClock, callback),
    exit: (code) => process.exit(code),
  };
}
