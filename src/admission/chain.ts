import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin, Mutated } from '../registry/admission.js';
import type { ResourceDefinition } from '../registry/definition.js';

type Round = 0 | 1;
type Stage = (attributes: AdmissionAttributes, round: Round) => Mutated | Promise<Mutated>;

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

  /** Runs the mutating stages, twice when one of them asks for it. Returns undefined when all were synchronous. */
  mutate(attributes: AdmissionAttributes): void | Promise<void> {
    const stages = this.#mutating[attributes.operation];
    const mutated = run(stages, attributes, 0);
    if (mutated === undefined) return undefined;
    if (mutated instanceof Promise)
      return mutated.then(async (again) => {
        if (again === 'again') await run(stages, attributes, 1);
      });
    const second = run(stages, attributes, 1);
    return second instanceof Promise ? second.then(() => undefined) : undefined;
  }

  /** Runs the validating stages. Returns undefined when all were synchronous. */
  validate(attributes: AdmissionAttributes): void | Promise<void> {
    const pending = run(this.#validating[attributes.operation], attributes, 0);
    return pending instanceof Promise ? pending.then(() => undefined) : undefined;
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
  return (attributes, round) => (wanted.has(kindOf(attributes)) ? stage(attributes, round) : undefined);
}

/** Returns the kind of the object: the resource's, unless the subresource has another. */
function kindOf({ info, subresource }: AdmissionAttributes): ResourceDefinition {
  const served = subresource === '' ? undefined : info.subresources.get(subresource);
  return served !== undefined && 'responseKind' in served ? served.responseKind.definition : info.definition;
}

/** Runs stages. Returns `again` when one of them did. */
function run(stages: readonly Stage[], attributes: AdmissionAttributes, round: Round): Mutated | Promise<Mutated> {
  let mutated: 'again' | undefined;
  for (let index = 0; index < stages.length; index += 1) {
    const result = stages[index]?.(attributes, round);
    if (result === undefined) continue;
    if (result !== 'again') return runRest(result, mutated, stages, index + 1, attributes, round);
    mutated = result;
  }
  return mutated;
}

async function runRest(
  pending: Promise<Mutated>,
  before: 'again' | undefined,
  stages: readonly Stage[],
  from: number,
  attributes: AdmissionAttributes,
  round: Round,
): Promise<Mutated> {
  let mutated = (await pending) ?? before;
  for (const stage of stages.slice(from)) mutated = (await stage(attributes, round)) ?? mutated;
  return mutated;
}
