interface HostProcess {
  getBuiltinModule?(name: string): unknown;
}

/**
 * Returns a built-in module of the host (`node:crypto`); undefined when it does not exist. Callers check its members.
 */
export function hostModule(name: string): unknown {
  const { process } = globalThis as { readonly process?: HostProcess | undefined };
  return process?.getBuiltinModule?.(name);
}
