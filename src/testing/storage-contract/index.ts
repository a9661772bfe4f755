/**
 * The contract of a storage engine as a list of cases for any test framework.
 *
 * @module
 */
import type { CaseDefinition, ContractStore } from './fixture.js';
import { fenceCases } from './fence-cases.js';
import { forkCases } from './fork-cases.js';
import { indexCases } from './index-cases.js';
import { lifetimeCases } from './lifetime-cases.js';
import { readCases } from './read-cases.js';
import { watchCases } from './watch-cases.js';
import { writeCases } from './write-cases.js';

export type { ContractStore } from './fixture.js';

/** A case that an engine does not have to pass. */
export interface ContractSkip {
  /** Name of the case. */
  readonly test: string;
  readonly reason: string;
}

/** Options of {@link storageContract}. */
export interface StorageContractOptions {
  /** Creates an empty store. Called once for each case. */
  create(): Promise<ContractStore>;
  readonly skip?: readonly ContractSkip[] | undefined;
}

/** A case of the contract, bound to an engine. */
export interface ContractCase {
  readonly name: string;
  /** Reason why the case is skipped; undefined when it is not. */
  readonly skipped: string | undefined;
  /**
   * Runs the case on its own store. Rejects when the engine breaks the contract. A skipped case does nothing. When a
   * watch fails to deliver, the promise never settles.
   */
  run(): Promise<void>;
}

const DEFINITIONS: readonly CaseDefinition[] = [
  ...writeCases,
  ...fenceCases,
  ...readCases,
  ...indexCases,
  ...watchCases,
  ...lifetimeCases,
  ...forkCases,
];

async function runOn(store: ContractStore, definition: CaseDefinition): Promise<void> {
  const advance = async (ms: number): Promise<void> => {
    if (store.advance === undefined)
      throw new Error(`"${definition.name}" needs advance() of the store; provide it, or skip the case with a reason`);
    await store.advance(ms);
  };
  try {
    await definition.body({ storage: store.storage, advance });
  } finally {
    await store.close();
  }
}

/**
 * Returns the cases that every storage engine must pass.
 *
 * @throws Error when a skip has an unknown name or no reason
 */
export function storageContract(options: StorageContractOptions): ContractCase[] {
  const reasons = new Map<string, string>();
  for (const { test, reason } of options.skip ?? []) {
    if (!DEFINITIONS.some((definition) => definition.name === test))
      throw new Error(`skip of an unknown case: ${test}`);
    if (reason === '') throw new Error(`skip without a reason: ${test}`);
    reasons.set(test, reason);
  }
  return DEFINITIONS.map((definition) => {
    const skipped = reasons.get(definition.name);
    return {
      name: definition.name,
      skipped,
      run: async () => {
        if (skipped === undefined) await runOn(await options.create(), definition);
      },
    };
  });
}
