// Types of requests and replies, taken from the OpenAPI document. A change of the contract breaks the build here.
import type { components, paths } from "./schema.js"

export type Schema = components["schemas"]
export type Method = "get" | "post" | "put" | "delete"

/** Paths that have an operation with this method. */
export type PathsOf<M extends Method> = { [P in keyof paths]: paths[P] extends Record<M, { responses: unknown }> ? P : never }[keyof paths]

export type Operation<P extends keyof paths, M extends Method> = paths[P] extends Record<M, infer O> ? O : never

type Json<R> = R extends { content: { "application/json": infer B } } ? B : never
type Success<O> = O extends { responses: infer R }
  ? R extends { 200: infer B } ? Json<B> : R extends { 201: infer B } ? Json<B> : void
  : never

/** What a call returns: the reply's `data`. */
export type Reply<P extends keyof paths, M extends Method> = Success<Operation<P, M>> extends { data: infer D } ? D : void

type Body<O> = O extends { requestBody?: { content: { "application/json": infer B } } } ? B : never
/** What a call takes as its body: the request's `data`, or the body itself for sign-in endpoints. */
export type Input<P extends keyof paths, M extends Method> = Body<Operation<P, M>> extends { data?: infer D } ? D : Body<Operation<P, M>>

export type Query<P extends keyof paths, M extends Method> = Operation<P, M> extends { parameters: { query?: infer Q } } ? NonNullable<Q> : never

/** One row of a list. */
export type Row<P extends PathsOf<"get">> = Reply<P, "get"> extends { items: (infer T)[] } ? T : never

/** The lists: paths whose GET replies with items and a total. */
export type ListPath = { [P in PathsOf<"get">]: Reply<P, "get"> extends { items: unknown[]; total: number } ? P : never }[PathsOf<"get">]
