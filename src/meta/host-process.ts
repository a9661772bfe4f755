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
}

/** Returns the process of the host; undefined on a host with only the web platform. */
export function hostProcess(): HostProcess | undefined {
  const { process } = globalThis as { readonly process?: Partial<HostProcess> };
  return typeof process?.cpuUsage === 'function' && typeof process.memoryUsage === 'function'
    ? (process as HostProcess)
    : undefined;
}
