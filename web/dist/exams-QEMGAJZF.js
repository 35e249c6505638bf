import{d as a,e as b,f as c}from"./chunk-YOYWR3B7.js";import"./chunk-R7KXEAR3.js";import"./chunk-CH5NUFAH.js";import"./chunk-QIRAC7NQ.js";c();export{a as default,b as enters};
