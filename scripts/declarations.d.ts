/**
 * Rolls declarations up.
 *
 * @param made the folder of those that the compiler made, which are changed: each has the path of its source
 * @param target where `ENTRY.d.ts` is written for each entry, and `types/PART.d.ts` for what entries share
 */
export function rollUpDeclarations(made: string, target: string): Promise<void>;
