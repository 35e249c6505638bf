import{d as a,e as b,f as c}from"./chunk-X4RRFBKX.js";import"./chunk-QNXEEVFU.js";import"./chunk-PZBUGNUO.js";import"./chunk-BYYGTQDX.js";c();export{a as default,b as enters};
