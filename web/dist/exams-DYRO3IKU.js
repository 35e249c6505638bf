import{d as a,e as b,f as c}from"./chunk-QDCDWYJP.js";import"./chunk-WLQNSC7S.js";import"./chunk-6PDPPS4Q.js";import"./chunk-IIKMONSJ.js";c();export{a as default,b as enters};
