import { inProcess } from './in-process.ts';
console.log(await inProcess());
