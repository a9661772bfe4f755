/** Time on a processor, in microseconds. */
interface ProcessorUsage {
  readonly user: number;
  readonly system: number;
}

/** The part of Node's `process` that is used. Other hosts have it too. */
export interface HostProcess {
  cpuUsage(): ProcessorUsage;
  /** Returns the same of the calling thread; absent before Node 23.9. */
  threadCpuUsage?(): ProcessorUsage;
  memoryUsage(): {
    readonly rss: number;
    readonly heapTotal: number;
    readonly heapUsed: number;
    readonly external: number;
  };
  uptime(): number;
  /** Returns a module of the host; absent in hosts without modules, and in Node before 20.16. */
  getBuiltinModule?(name: 'node:fs'): HostFiles | undefined;
}

/** The part of Node's `fs` that is used. */
export interface HostFiles {
  readFileSync(path: string, encoding: 'utf8'): string;
  readdirSync(path: string): readonly string[];
}

/** Returns the process of the host; undefined on a host with only the web platform. */
export function hostProcess(): HostProcess | undefined {
  const { process } = globalThis as { readonly process?: Partial<HostProcess> | undefined };
  return typeof process?.cpuUsage === 'function' && typeof process.memoryUsage === 'function'
    ? (process as HostProcess)
    : undefined;
}

/**
 * Returns a clock of the time that the thread has had a processor, in milliseconds. Where the host tells only the time of
 * all threads of the process, that is an upper bound between two looks. A look takes about 2 microseconds.
 *
 * @returns undefined on a host that tells neither
 */
export function processorClock(): (() => number) | undefined {
  const host = hostProcess();
  if (host === undefined) return undefined;
  return () => {
    const { user, system } = host.threadCpuUsage?.() ?? host.cpuUsage();
    return (user + system) / 1000;
  };
}
