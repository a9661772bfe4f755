export * from '../transport/hono/hono.js';
