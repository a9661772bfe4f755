interface HostProcess {
  getBuiltinModule?(name: string): unknown;
}

const hostProcess = (): HostProcess | undefined =>
  (globalThis as { readonly process?: HostProcess | undefined }).process;

/** Returns the function of the host that finds its built-in modules; undefined on a platform without any. */
export const hostModuleFinder = (): unknown => hostProcess()?.getBuiltinModule;

/**
 * Returns a built-in module of the host (`node:crypto`); undefined when it does not exist. Callers check its members.
 */
export const hostModule = (name: string): unknown => hostProcess()?.getBuiltinModule?.(name);
