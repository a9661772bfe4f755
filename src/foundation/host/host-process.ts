/** The part of Node's `process` that is used. Other hosts have it too. */
export interface HostProcess {
  cpuUsage(): { readonly user: number; readonly system: number };
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
  const { process } = globalThis as { readonly process?: Partial<HostProcess> };
  return typeof process?.cpuUsage === 'function' && typeof process.memoryUsage === 'function'
    ? (process as HostProcess)
    : undefined;
}
