import type { ClientCase } from './case-world.js';
import { composedCases } from './composed-cases.js';
import { failureCases, logCases } from './failure-cases.js';
import { streamCases } from './stream-cases.js';
import { proxyCases } from './proxy-cases.js';
import { untypedCases, readCases } from './read-cases.js';
import { verbCases } from './verb-cases.js';

/** All cases. */
export const CASES: readonly ClientCase[] = [
  ...[
    ...verbCases,
    ...readCases,
    ...untypedCases,
    ...failureCases,
    ...logCases,
    ...streamCases,
    ...proxyCases,
    ...composedCases,
  ],
];
