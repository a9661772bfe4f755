import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin, Mutated } from '../registry/admission.js';
import type { ResourceDefinition } from '../registry/definition.js';

type Round = 0 | 1;
type Stage = (attributes: AdmissionAttributes, round: Round) => Mutated | Promise<Mutated>;

/** Measures a stage of a plugin. Called once for each operation and phase when the chain is built. */
export type MeasureStage = (
  plugin: string,
  operation: AdmissionOperation,
  phase: 'admit' | 'validate',
) => (rejected: boolean, beganMs: number) => void;

/** Measures the stages of a chain. */
export interface StageMeter {
  readonly now: () => number;
  readonly measure: MeasureStage;
}

type Phase = 'admit' | 'validate';

/**
 * The ordered plugins of a server. They are sorted by phase and operation when an operation first comes: many servers
 * of tests only read.
 */
export class AdmissionChain {
  readonly #plugins: readonly AdmissionPlugin[];
  readonly #meter: StageMeter | undefined;
  readonly #stages: Readonly<Record<Phase, Map<AdmissionOperation, readonly Stage[]>>> = {
    admit: new Map(),
    validate: new Map(),
  };

  /** @param meter measures each stage; default none does */
  constructor(plugins: readonly AdmissionPlugin[], meter?: StageMeter) {
    this.#plugins = plugins;
    this.#meter = meter;
  }

  /** Names of the plugins, in order. */
  get names(): readonly string[] {
    return this.#plugins.map((plugin) => plugin.name);
  }

  /** Runs the mutating stages, twice when one of them asks for it. Returns undefined when all were synchronous. */
  mutate(attributes: AdmissionAttributes): void | Promise<void> {
    const stages = this.#stagesOf('admit', attributes.operation);
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
    const pending = run(this.#stagesOf('validate', attributes.operation), attributes, 0);
    return pending instanceof Promise ? pending.then(() => undefined) : undefined;
  }

  #stagesOf(phase: Phase, operation: AdmissionOperation): readonly Stage[] {
    const known = this.#stages[phase].get(operation);
    if (known !== undefined) return known;
    const stages: Stage[] = [];
    for (const plugin of this.#plugins) {
      if (!plugin.operations.includes(operation)) continue;
      const picked = phase === 'admit' ? plugin.mutate?.bind(plugin) : plugin.validate?.bind(plugin);
      if (picked === undefined) continue;
      const meter = this.#meter;
      const measured =
        meter === undefined ? picked : measuredStage(picked, meter.now, meter.measure(plugin.name, operation, phase));
      stages.push(forKinds(plugin.kinds, measured));
    }
    this.#stages[phase].set(operation, stages);
    return stages;
  }
}

/** Restricts a stage to objects of given kinds. */
function forKinds(kinds: readonly ResourceDefinition[] | undefined, stage: Stage): Stage {
  if (kinds === undefined) return stage;
  const wanted = new Set(kinds);
  return (attributes, round) => (wanted.has(kindOf(attributes)) ? stage(attributes, round) : undefined);
}

/** Returns a stage that reports how long it took, and whether it refused the request. */
function measuredStage(stage: Stage, now: () => number, done: (rejected: boolean, beganMs: number) => void): Stage {
  return (attributes, round) => {
    const beganMs = now();
    let result: Mutated | Promise<Mutated>;
    try {
      result = stage(attributes, round);
    } catch (error) {
      done(true, beganMs);
      throw error;
    }
    if (!(result instanceof Promise)) {
      done(false, beganMs);
      return result;
    }
    return result.then(
      (mutated) => {
        done(false, beganMs);
        return mutated;
      },
      (error: unknown) => {
        done(true, beganMs);
        throw error;
      },
    );
  };
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
