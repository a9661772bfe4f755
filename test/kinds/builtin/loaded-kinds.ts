/** Loads all built-in kinds, for tests that use their definitions without a server. */
import { builtinResources } from '../../../src/kinds/builtin/index.js';

await Promise.all(builtinResources.map((definition) => definition.prepare?.()));
