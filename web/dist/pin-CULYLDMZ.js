import{a,b,c}from"./chunk-RGGQG72C.js";import"./chunk-5XOGUIOE.js";c();export{a as SetPIN,b as default};
