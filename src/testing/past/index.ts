export type { JsonChange } from '../../machinery/index.js';
export type { Author, ObjectVersion } from './object-version.js';
export type {
  ObjectDifference,
  ObjectHistory,
  ObjectReference,
  PastMembers,
  PastPoint,
  StateDifference,
} from './past.js';
