import{a,b,c}from"./chunk-7D2FJZCV.js";import"./chunk-WRJ6R7OA.js";c();export{a as SetPIN,b as default};
