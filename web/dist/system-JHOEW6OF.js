import{a,b,c}from"./chunk-4WWPHD7S.js";import"./chunk-R6J56JUA.js";import"./chunk-VH63SMTT.js";c();export{a as default,b as engine};
