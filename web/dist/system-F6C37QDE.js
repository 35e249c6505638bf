import{a,b,c}from"./chunk-VA5ORAJT.js";import"./chunk-B5NZMGTG.js";import"./chunk-UN3BADVL.js";c();export{a as default,b as engine};
