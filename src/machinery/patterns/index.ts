export {
  loadPatternLibrary,
  matchesInSlices,
  PatternError,
  PatternLibrary,
  searching,
  type Pattern,
} from './library.js';
export { programSize } from './size.js';
export type { PatternSearch } from './search.js';
