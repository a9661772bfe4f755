interface HostProcess {
  getBuiltinModule?(name: string): unknown;
}

/** A module that is built into the host (`node:crypto`); undefined where there is none. Callers check what it has. */
export function hostModule(name: string): unknown {
  const { process } = globalThis as { readonly process?: HostProcess };
  return process?.getBuiltinModule?.(name);
}
