import { http } from './http.ts';
console.log(await http());
