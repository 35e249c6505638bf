import{a,b,c}from"./chunk-B3GQDRL4.js";import"./chunk-VH63SMTT.js";c();export{a as SetPIN,b as default};
