import{a,b,c}from"./chunk-DIDTZ5EF.js";import"./chunk-ZSVQMGKL.js";c();export{a as SetPIN,b as default};
