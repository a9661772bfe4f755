import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../registry/admission.js';
import type { ResourceDefinition } from '../registry/definition.js';

type Stage = (attributes: AdmissionAttributes) => void | Promise<void>;

/** The ordered plugins of a server, sorted once by phase and operation. */
export class AdmissionChain {
  readonly #mutating: Readonly<Record<AdmissionOperation, readonly Stage[]>>;
  readonly #validating: Readonly<Record<AdmissionOperation, readonly Stage[]>>;
  /** Names of the plugins, in order. */
  readonly names: readonly string[];

  constructor(plugins: readonly AdmissionPlugin[]) {
    this.names = plugins.map((plugin) => plugin.name);
    this.#mutating = byOperation(plugins, (plugin) => plugin.mutate?.bind(plugin));
    this.#validating = byOperation(plugins, (plugin) => plugin.validate?.bind(plugin));
  }

  /** Runs the mutating stages. Returns undefined when all were synchronous. */
  mutate(attributes: AdmissionAttributes): void | Promise<void> {
    return run(this.#mutating[attributes.operation], attributes);
  }

  /** Runs the validating stages. Returns undefined when all were synchronous. */
  validate(attributes: AdmissionAttributes): void | Promise<void> {
    return run(this.#validating[attributes.operation], attributes);
  }
}

function byOperation(
  plugins: readonly AdmissionPlugin[],
  pick: (plugin: AdmissionPlugin) => Stage | undefined,
): Record<AdmissionOperation, Stage[]> {
  const stages: Record<AdmissionOperation, Stage[]> = { CREATE: [], UPDATE: [], DELETE: [], CONNECT: [] };
  for (const plugin of plugins) {
    const stage = forKinds(plugin.kinds, pick(plugin));
    if (stage !== undefined) for (const operation of plugin.operations) stages[operation].push(stage);
  }
  return stages;
}

/** Restricts a stage to objects of given kinds. */
function forKinds(kinds: readonly ResourceDefinition[] | undefined, stage: Stage | undefined): Stage | undefined {
  if (kinds === undefined || stage === undefined) return stage;
  const wanted = new Set(kinds);
  return (attributes) => (wanted.has(kindOf(attributes)) ? stage(attributes) : undefined);
}

/** Returns the kind of the object: the resource's, unless the subresource has another. */
function kindOf({ info, subresource }: AdmissionAttributes): ResourceDefinition {
  const served = subresource === '' ? undefined : info.subresources.get(subresource);
  return served !== undefined && 'responseKind' in served ? served.responseKind.definition : info.definition;
}

function run(stages: readonly Stage[], attributes: AdmissionAttributes): void | Promise<void> {
  for (let index = 0; index < stages.length; index += 1) {
    const pending = stages[index]?.(attributes);
    if (pending !== undefined) return runRest(pending, stages, index + 1, attributes);
  }
}

async function runRest(
  pending: Promise<void>,
  stages: readonly Stage[],
  from: number,
  attributes: AdmissionAttributes,
): Promise<void> {
  await pending;
  for (const stage of stages.slice(from)) await stage(attributes);
}
